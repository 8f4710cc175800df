package funcsum

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// collect sets f.Events.
func (p *Summaries) collect(f *Body) {
	published := p.Publications(f)
	var holds holdSets
	f.Flow.Walk(func(instr ssa.Instruction, ord int, st *lockset.State) {
		c := collector{p: p, f: f, instr: instr, ord: ord, st: st, published: published, holds: &holds}
		c.collect()
	})
	f.addCopies()
}

func (c *collector) collect() {
	switch instr := c.instr.(type) {
	case *ssa.UnOp:
		if instr.Op == token.MUL {
			c.load(instr)
		}
	case *ssa.Store:
		c.store(instr)
	case *ssa.MapUpdate:
		ref := c.f.Res.Resolve(instr.Map)
		ref.Path = ref.Path.Index(c.f.Res.Key(instr.Key))
		ref.Key = ref.Key.Then(c.f.Res.Key(instr.Key))
		op := fact.Write
		text, fixed := ssautil.ConstText(instr.Value)
		if ssautil.IsEmptyStruct(instr.Value.Type()) {
			text, fixed = "", true // the key is put into a set
		}
		if fixed {
			op |= fact.Fixed
		}
		c.add(&Event{Op: op, Ref: ref, Inputs: []ssa.Value{instr.Value, instr.Key}, Const: text})
	case *ssa.Lookup:
		c.lookup(instr)
	case *ssa.Next:
		if rng, ok := instr.Iter.(*ssa.Range); ok {
			ref := c.f.Res.Resolve(rng.X)
			ref.Key = ref.Key.Then(accesspath.AnyKey)
			c.add(&Event{Op: fact.Read, Ref: ref, Values: []ssa.Value{instr}})
		}
	case *ssa.Select:
		c.polls(instr)
	case *ssa.Go:
	case ssa.CallInstruction:
		c.call(instr)
	}
}

// A collector finds the accesses of one instruction.
type collector struct {
	p         *Summaries
	f         *Body
	instr     ssa.Instruction
	ord       int
	st        *lockset.State
	published map[accesspath.Path]int
	inner     int // number of inner critical sections found so far
	holds     *holdSets
}

// add records an access with the locks held at the instruction, unless it is to an object
// before its publication.
func (c *collector) add(e *Event) {
	if e.Loc == "" || isSyncLocation(e.Loc) {
		return
	}
	root := e.Base.Root()
	if at, given := c.published[root]; root.IsFresh() && (!given || c.ord < at || len(c.st.Held)+len(e.Holds) == 0) {
		return // not published; its constructor needs no locks
	}
	if i, ok := index(root, 'f'); ok && c.p.freshBinding(c.f, i) {
		return
	}
	if len(c.f.Events) >= limit.Events {
		c.p.Limits.Add(callgraph.Name(c.f.Fn), "Events")
		return
	}
	e.Instr, e.Ord = c.instr, c.ord
	with, without := c.f.switches(c.instr.Block())
	e.with, e.without = e.with|with, e.without|without
	if e.Pos == (fact.Pos{}) {
		e.Pos = c.p.Pos(ssautil.Pos(c.instr))
	}
	held := c.holds.work[:0]
	for _, h := range e.Holds {
		e.Traits = e.Traits.With(fact.Once, e.Once() || h.Mode == lockset.Once)
	}
	for _, h := range c.st.Held {
		if c.f.Flow.Holds(h) {
			held = append(held, Hold{Guard: h.Guard, Sites: h.Sites})
		}
	}
	e.Holds = c.holds.shared(c.splice(held, e.Holds))
	c.f.Events = append(c.f.Events, e)
}

// splice joins the guards held at an instruction with the critical sections inside it. A
// callee that releases and reacquires a lock of its caller ends the critical section of the
// caller and begins another.
func (c *collector) splice(held, inner []Hold) []Hold {
	for _, in := range inner {
		i := slices.IndexFunc(held, func(h Hold) bool { return h.Path == in.Path && !h.Inner })
		switch {
		case i < 0:
			held = append(held, in)
		case !in.entry:
			held[i] = Hold{Guard: in.Guard, Sites: []int{c.ord}}
		}
	}
	return held
}

// isSyncLocation reports whether l is part of the implementation of a lock.
func isSyncLocation(l accesspath.Location) bool {
	return stdlib.OfPackage(l.Pkg()).Opaque
}

func (c *collector) load(l *ssa.UnOp) {
	ref, ok := c.address(l.X)
	if !ok {
		return
	}
	if c.p.Mutable(l.X) && !(ref.Loc.IsVariable() && isPlainLoad(l)) {
		c.add(&Event{Op: fact.Read, Ref: ref, Values: []ssa.Value{l}})
	}
	c.fields(l.Type(), ref, func(part accesspath.Ref) *Event {
		return &Event{Op: fact.Read, Ref: part, Values: []ssa.Value{l}}
	})
}

func (c *collector) store(s *ssa.Store) {
	ref, ok := c.address(s.Addr)
	if !ok {
		return
	}
	op := fact.Write
	text, fixed := ssautil.ConstText(s.Val)
	if fixed {
		op |= fact.Fixed
	}
	c.add(&Event{Op: op, Ref: ref, Inputs: []ssa.Value{s.Val}, Const: text})
	c.fields(s.Val.Type(), ref, func(part accesspath.Ref) *Event {
		return &Event{Op: op, Ref: part, Inputs: []ssa.Value{s.Val}}
	})
}

// fields adds the accesses to the fields of a struct that is copied as a whole. What another
// package hides in its type, such as the parts of a time.Time, is one value here.
func (c *collector) fields(t types.Type, ref accesspath.Ref, event func(accesspath.Ref) *Event) {
	st, ok := t.Underlying().(*types.Struct)
	if !ok || st.NumFields() > limit.CopiedFields {
		return
	}
	for i := range st.NumFields() {
		v := st.Field(i)
		if !v.Exported() && v.Pkg() != c.p.Pkg {
			continue
		}
		part := accesspath.FieldRef(ref, t, v.Name())
		if part.Loc != "" && !isLockType(v.Type()) {
			c.add(event(part))
		}
	}
}

func isLockType(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && isSyncLocation(accesspath.Location(n.Obj().Pkg().Path()+"#"))
}

// address resolves the memory at addr if it may be shared, which a variable of the function
// is not, even if the resolver names it by its value.
func (c *collector) address(addr ssa.Value) (accesspath.Ref, bool) {
	if accesspath.IsOwn(addr) {
		return accesspath.Ref{}, false
	}
	switch addr := addr.(type) {
	case *ssa.Alloc:
		// Without a lock it comes before or after the goroutines.
		if len(c.st.Held) == 0 || c.p.variable(addr) == "" {
			return accesspath.Ref{}, false
		}
	case *ssa.FreeVar:
		if c.p.variable(addr) == "" {
			return accesspath.Ref{}, false
		}
	case *ssa.FieldAddr:
		if ssautil.Field(addr.X.Type(), addr.Field) != nil && isLockType(ssautil.Field(addr.X.Type(), addr.Field).Type()) {
			return accesspath.Ref{}, false
		}
	case *ssa.Global, *ssa.IndexAddr:
	}
	ref := c.f.Res.Resolve(addr)
	return ref, ref.Loc != ""
}

func (c *collector) lookup(l *ssa.Lookup) {
	if _, ok := l.X.Type().Underlying().(*types.Map); !ok {
		return
	}
	ref := c.f.Res.Resolve(l)
	e := &Event{Op: fact.Read, Ref: ref}
	e.Values = []ssa.Value{l}
	if l.CommaOk {
		e.Values = nil
		for _, use := range *l.Referrers() {
			if x, ok := use.(*ssa.Extract); ok {
				e.Values = append(e.Values, x)
			}
		}
	}
	if asksPresence(l) {
		e.Op |= fact.Presence
	}
	c.add(e)
}

// asksPresence reports whether a look-up asks only whether there is an element: of the map, or of one in the
// map, which it passes.
//
//	inner := s.groups[g]
//	if _, ok := inner[k]; ok { delete(inner, k) }
func asksPresence(l *ssa.Lookup) bool {
	inner := false
	for _, use := range *l.Referrers() {
		switch use := use.(type) {
		case *ssa.Extract:
			if use.Index == 0 && len(*use.Referrers()) > 0 {
				return false
			}
		case *ssa.Lookup:
			if use.X != l || !use.CommaOk || !asksPresence(use) {
				return false
			}
			inner = true
		case *ssa.Call:
			if b := ssautil.Builtin(&use.Call); b != "delete" && b != "len" || use.Call.Args[0] != l {
				return false // the value is used, as a key of another map too
			}
		default:
			return false
		}
	}
	return l.CommaOk || inner
}

func (c *collector) builtin(name string, args []ssa.Value) {
	if len(args) == 0 {
		return
	}
	ref := c.f.Res.Resolve(args[0])
	switch name {
	case "delete":
		ref.Key = ref.Key.Then(c.f.Res.Key(args[1]))
		c.add(&Event{Op: fact.Write | fact.Delete | fact.Fixed, Ref: ref, Inputs: []ssa.Value{args[1]}})
	case "clear":
		c.add(&Event{Op: fact.Write | fact.Fixed, Ref: ref})
	case "copy":
		ref.Key = ref.Key.Then(accesspath.AnyKey)
		c.add(&Event{Op: fact.Write, Ref: ref, Inputs: []ssa.Value{args[1]}})
	case "close":
		c.add(&Event{Op: fact.Write | fact.Fixed | fact.Content, Ref: ref})
		c.closes(args[0])
	}
}
