package process

import (
	"go/types"
	"iter"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"golang.org/x/tools/go/ssa"
)

// sites collects the call sites of every function, with the locks held there.
func (p *Processes) sites() [][]site {
	out := make([][]site, len(p.Funcs))
	for _, f := range p.Funcs {
		held := make(map[ssa.Instruction][]lockset.Guard)
		var fresh map[ssa.Instruction]bool
		if f.Flow != nil {
			fresh = p.freshCalls(f)
			f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
				if _, ok := instr.(ssa.CallInstruction); !ok {
					return
				}
				for _, h := range st.Held {
					if f.Flow.Holds(h) {
						held[instr] = append(held[instr], h.Guard)
					}
				}
			})
		}
		for _, c := range f.Calls {
			s := site{caller: f, call: c}
			if c.Instr != nil {
				s.held = held[c.Instr]
				for _, cl := range f.Claimed(c.Instr) {
					s.held = append(s.held, cl.Guard)
				}
				s.fresh = fresh[c.Instr] || f.Flow == nil && len(c.Instr.Common().Args) > 0 && ssautil.IsMadeHere(c.Instr.Common().Args[0])
				s.fresh = s.fresh && !p.Funcs[c.Callee].servesOthers()
				s.call.Kind, s.held = p.argumentUse(f, c, s.held)
			}
			out[c.Callee] = append(out[c.Callee], s)
		}
	}
	return out
}

// freshCalls finds the calls in f whose receiver f has allocated and not yet published. A deferred call comes after all publications.
func (p *Processes) freshCalls(f *Func) map[ssa.Instruction]bool {
	published := p.Publications(f.Body)
	out := make(map[ssa.Instruction]bool)
	f.Flow.Walk(func(instr ssa.Instruction, ord int, _ *lockset.State) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok || c.Common().IsInvoke() || len(c.Common().Args) == 0 || !isObject(c.Common().Args[0].Type()) {
			return
		}
		if own := newObjects(f, c.Common().Args[0]); len(own) > 0 && !slices.ContainsFunc(own, func(root accesspath.Path) bool {
			at, given := published[root]
			_, deferred := instr.(*ssa.Defer)
			return given && (ord > at || deferred)
		}) {
			out[instr] = true
		}
	})
	return out
}

// servesOthers reports whether f writes to shared memory, and to nothing that its first parameter leads to: a
// new object that it is given is what it writes there, and not what it constructs.
//
//	func install(k *key) { keys.Store(k.id, k); current.Store(k.id) }
func (f *Func) servesOthers() bool {
	others := false
	for _, e := range f.Events {
		if !e.Writes() || e.Base.IsLocal() || e.Base == accesspath.Unknown {
			continue
		}
		if e.Base.Root() == accesspath.Param(0) {
			return false
		}
		others = others || len(e.Holds) > 0
	}
	return others
}

// newObjects returns the roots of the objects of f that v refers to, or is reached through, if f
// has allocated them all. What a new object refers to need not be new:
//
//	list := []*Index{s.old, s.current}
//	for _, x := range list { x.search(k) } // list is new, and what it has is shared
//
// A reference in an object that f has not filled by itself is taken to be that of a part of it.
func newObjects(f *Func, v ssa.Value) []accesspath.Path {
	var out []accesspath.Path
	work := []ssa.Value{v}
	for len(work) > 0 {
		v, work = work[0], work[1:]
		path := f.Res.Resolve(v).Path
		root := path.Root()
		if !root.IsFresh() {
			return nil
		}
		if slices.Contains(out, root) {
			continue
		}
		out = append(out, root)
		if path != root {
			work = append(work, storedIn(f, root, v.Type())...)
		}
	}
	return out
}

// storedIn returns the values of a reference type that f stores in the object at root.
func storedIn(f *Func, root accesspath.Path, t types.Type) []ssa.Value {
	var out []ssa.Value
	add := func(at, v ssa.Value) {
		if c, ok := v.(*ssa.Const); ok && c.IsNil() || !types.Identical(v.Type(), t) || f.Res.Resolve(at).Path.Root() != root {
			return
		}
		out = append(out, v)
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				add(instr.Addr, instr.Val)
			case *ssa.MapUpdate:
				add(instr.Map, instr.Value)
			}
		}
	}
	return out
}

// isObject reports whether values of type t refer to an object with methods of its own; a
// function literal does not.
func isObject(t types.Type) bool {
	_, isFunc := t.Underlying().(*types.Signature)
	return ssautil.IsReference(t) && !isFunc
}

// argumentUse refines the use of a function that is an argument of a call by the summary
// of the callee, which may call the argument while it holds locks of its own.
func (p *Processes) argumentUse(f *Func, c callgraph.Call, held []lockset.Guard) (fact.CallKind, []lockset.Guard) {
	if f.Flow == nil || c.Kind != fact.Called {
		return c.Kind, held
	}
	common := c.Instr.Common()
	target := p.Funcs[c.Callee]
	for _, cal := range p.Callees(f.Body, common) {
		if cal.Fn == target.Node {
			return c.Kind, held // called directly, not passed as an argument
		}
		sum := p.SummaryOf(cal)
		if sum == nil {
			switch stdlib.OfFunc(cal.Obj).Runs {
			case stdlib.Once:
				ref := f.Res.Resolve(cal.Args[0])
				return fact.Called, append(slices.Clone(held), lockset.Guard{Path: ref.Path, Class: ref.Loc, Mode: lockset.Once})
			case stdlib.Memoizes:
				return fact.Called, append(slices.Clone(held), lockset.Guard{Class: "sync#Once", Mode: lockset.Once})
			}
			continue
		}
		for _, pc := range sum.Calls {
			lits := p.Argument(f.Node, cal, pc.Param)
			if len(lits) != 1 || lits[0].Fn != target.Node {
				continue
			}
			if pc.Kind != fact.Called {
				return pc.Kind, nil
			}
			out := slices.Clone(held)
			for i, r := range sum.Regions {
				if pc.Regions&(1<<i) != 0 {
					out = append(out, p.TranslateGuard(f.Body, cal, r.Guard))
				}
			}
			return fact.Called, out
		}
	}
	return c.Kind, held
}

// inCallee translates a path of the caller to the terms of the callee.
func (p *Processes) inCallee(f *Func, s site, path accesspath.Path) accesspath.Path {
	if path == accesspath.Unknown || path.IsGlobal() {
		return path
	}
	if s.caller.Res == nil {
		return accesspath.Unknown
	}
	for _, cal := range p.Callees(s.caller.Body, s.call.Instr.Common()) {
		if cal.Fn != f.Node {
			continue
		}
		best := accesspath.Unknown
		for i, a := range cal.Args {
			if q := s.caller.Res.Resolve(a).Path; path.Within(q) && best == accesspath.Unknown {
				best = inArguments(s.caller, cal.Args, i, path[len(q):])
			}
		}
		if best != accesspath.Unknown {
			return best
		}
		if cal.Closure != nil {
			return p.inLiteral(s.caller, cal.Bindings(), path)
		}
	}
	// The callee may be a literal or method value passed as an argument.
	for _, a := range s.call.Instr.Common().Args {
		fn, mc, _ := p.FuncValue(s.caller.Node, a)
		switch {
		case mc == nil:
		case fn == f.Fn:
			return p.inLiteral(s.caller, mc.Bindings, path)
		case len(mc.Bindings) == 1 && p.isMethodValue(fn, mc, f):
			if q := s.caller.Resolver().Resolve(mc.Bindings[0]).Path; path.Within(q) {
				return accesspath.Param(0) + path[len(q):]
			}
		}
	}
	return accesspath.Unknown
}

// inArguments returns the path of a part of argument i in the callee. The keys in it are those of other arguments, or have no
// name there.
//
//	s.keys.lock(id); s.change(id, n) // s.keys.locks[id] of the caller is p0.keys.locks[p1] in change
func inArguments(caller *Func, args []ssa.Value, i int, part accesspath.Path) accesspath.Path {
	return accesspath.Param(i).Join(part, func(root accesspath.Path) accesspath.Path {
		for j, a := range args {
			if caller.Res.Key(a).Path() == root {
				return accesspath.Param(j)
			}
		}
		return accesspath.Unknown
	})
}

// isMethodValue reports whether a closure is a value of the method f.
func (p *Processes) isMethodValue(fn *ssa.Function, mc *ssa.MakeClosure, f *Func) bool {
	return slices.ContainsFunc(p.Static(fn, nil, mc), func(c callgraph.Callee) bool { return c.Fn == f.Node })
}

func (p *Processes) inLiteral(caller *Func, bound []ssa.Value, path accesspath.Path) accesspath.Path {
	for i, b := range bound {
		if q := caller.Res.Resolve(b).Path; path.Within(q) {
			return accesspath.Free(i) + path[len(q):]
		}
	}
	return accesspath.Unknown
}

// beforePublication reports whether the object that a call concerns has not been published,
// and the callee starts no goroutine that could share it: no process interferes with what
// the callee does to it.
func (p *Processes) beforePublication(s site) bool {
	if p.spawns[s.call.Callee] {
		return false
	}
	if s.fresh {
		return true
	}
	if !s.caller.constructs || p.spawns[s.caller.ID] || s.call.Instr == nil || s.call.Instr.Common().IsInvoke() || len(s.call.Instr.Common().Args) == 0 {
		return false
	}
	first := s.call.Instr.Common().Args[0]
	return isObject(first.Type()) && s.caller.isOwn(s.caller.Resolver().Resolve(first).Path)
}

// An Argument is what a call in the package passes for a parameter of a function.
type Argument struct {
	ssa.Value
	Caller *Func
	Call   ssa.Instruction
	// Res resolves values of the caller.
	Res *accesspath.Resolver
}

// Arguments returns what the calls of f pass for parameter i, except those in tests and on
// objects before their publication.
func (p *Processes) Arguments(f *Func, i int) []Argument {
	var out []Argument
	for _, s := range p.sitesOf[f.ID] {
		if s.call.Instr == nil || s.caller.Test || s.caller.constructs || s.fresh {
			continue
		}
		for _, cal := range p.Callees(s.caller.Body, s.call.Instr.Common()) {
			if cal.Fn == f.Node && cal.Via == nil && i < len(cal.Args) {
				out = append(out, Argument{cal.Args[i], s.caller, s.call.Instr, s.caller.Resolver()})
			}
		}
	}
	return out
}

// Descent returns an access of f, and then the same access in the callee that makes it, down to the last function of the
// package on the way.
func (p *Processes) Descent(f *Func, e *funcsum.Event) iter.Seq2[*Func, *funcsum.Event] {
	return func(yield func(*Func, *funcsum.Event) bool) {
		for range fact.MaxDepth + 1 { // functions that call each other have no last one
			if e == nil || !yield(f, e) {
				return
			}
			f, e = p.InCallee(f, e)
		}
	}
}

// InCallee returns the function of the package that makes an access for f, with the access there, or nil if f makes it
// itself.
func (p *Processes) InCallee(f *Func, e *funcsum.Event) (*Func, *funcsum.Event) {
	call, ok := e.Instr.(ssa.CallInstruction)
	if !ok || e.Callee == nil || e.Callee.Foreign {
		return nil, nil
	}
	a := &e.Callee.Accesses[e.Index]
	for _, c := range p.Callees(f.Body, call.Common()) {
		if c.Fn == nil {
			continue
		}
		g := p.Funcs[c.Fn.ID]
		for _, inner := range g.Events {
			if inner.Loc == a.Loc && (inner.Key == "") == (a.Key == "") && inner.Op == a.Op && inner.Pos.Text == a.Pos.Text {
				return g, inner
			}
		}
	}
	return nil, nil
}
