package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A tokenUse tells how a channel with room for one element is used. It is a
// lock if whoever puts something in takes it out again in the same function, or
// the other way round for a channel that starts with a token in it.
type tokenUse struct {
	one     bool // has room for one element
	primed  bool // the constructor puts the token in
	not     bool // is used in a way that no lock is
	senders map[*ssa.Function]bool
	takers  map[*ssa.Function]bool
}

func (t *tokenUse) isLock() bool {
	if !t.one || t.not || len(t.senders) == 0 || len(t.senders) != len(t.takers) {
		return false
	}
	for fn := range t.senders {
		if !t.takers[fn] {
			return false
		}
	}
	return true
}

// chanLocation returns the location that holds a channel, or "".
func chanLocation(ch ssa.Value) accesspath.Location {
	if l, ok := ch.(*ssa.UnOp); ok && l.Op == token.MUL {
		return accesspath.LocationOf(l.X)
	}
	if m, ok := ch.(*ssa.MakeChan); ok && m.Referrers() != nil {
		for _, use := range *m.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Val == m {
				if loc := accesspath.LocationOf(st.Addr); loc != "" {
					return loc
				}
			}
		}
	}
	return ""
}

func (p *Package) scanStore(st *ssa.Store) {
	m, ok := st.Val.(*ssa.MakeChan)
	if !ok {
		return
	}
	loc := accesspath.LocationOf(st.Addr)
	if loc == "" {
		return
	}
	t := p.tokens[loc]
	c, ok := m.Size.(*ssa.Const)
	if one := ok && c.Value != nil && constant.Compare(c.Value, token.EQL, constant.MakeInt64(1)); one {
		t.one = true
	} else {
		t.not = true
	}
	p.tokens[loc] = t
}

func (p *Package) scanToken(f *Func, ch ssa.Value, send bool) {
	loc := chanLocation(ch)
	if loc == "" {
		return
	}
	t := p.tokens[loc]
	if t.senders == nil {
		t.senders, t.takers = make(map[*ssa.Function]bool), make(map[*ssa.Function]bool)
	}
	outer := f.Fn
	for outer.Parent() != nil {
		outer = outer.Parent()
	}
	if !send {
		t.takers[outer] = true
	} else if l, ok := ch.(*ssa.UnOp); ok && ownsChannel(l.X) || !ok {
		t.primed = true
	} else {
		t.senders[outer] = true
	}
	f.shares = true
	p.tokens[loc] = t
}

// ownsChannel reports whether the channel at addr belongs to an object that is
// just being made.
func ownsChannel(addr ssa.Value) bool {
	fa, ok := addr.(*ssa.FieldAddr)
	return ok && madeHere(fa.X)
}

// notToken says that a channel is polled: then it carries signals.
func (p *Package) notToken(ch ssa.Value) {
	if loc := chanLocation(ch); loc != "" {
		t := p.tokens[loc]
		t.not = true
		p.tokens[loc] = t
	}
}

// scanCond finds which mutex a field of type *sync.Cond is made with.
func (p *Package) scanCond(obj *types.Func, instr ssa.CallInstruction) {
	c, ok := instr.(*ssa.Call)
	if !ok || !stdlib.OfFunc(obj).MakesCond || len(c.Call.Args) != 1 {
		return
	}
	locker := c.Call.Args[0]
	if mi, ok := locker.(*ssa.MakeInterface); ok {
		locker = mi.X
	}
	for _, use := range *c.Referrers() {
		st, ok := use.(*ssa.Store)
		if !ok || st.Val != c {
			continue
		}
		loc := accesspath.LocationOf(st.Addr)
		switch l := locker.(type) {
		case *ssa.FieldAddr:
			field, ok := st.Addr.(*ssa.FieldAddr)
			if ok && loc != "" && sameObject(field.X, l.X) {
				p.conds[loc] = fieldVar(l.X.Type(), l.Field).Name()
			}
		case *ssa.Global:
			if loc != "" {
				p.conds[loc] = string(accesspath.Global(l.Pkg.Pkg.Path(), l.Name()))
			}
		}
	}
}

// sameObject reports whether a and b are the same pointer, or loads of the
// same variable.
func sameObject(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.UnOp)
	y, ok2 := b.(*ssa.UnOp)
	return ok && ok2 && x.Op == token.MUL && y.Op == token.MUL && x.X == y.X
}

// alias names the locker of a condition variable by its mutex.
func (p *Package) alias(base accesspath.Ref, field string) (accesspath.Ref, bool) {
	if field != "L" || base.Loc == "" {
		return accesspath.Ref{}, false
	}
	mutex, ok := p.conds[base.Loc]
	if !ok {
		return accesspath.Ref{}, false
	}
	if global := accesspath.Path(mutex); global.IsGlobal() {
		return accesspath.Ref{Path: global, Base: global, Loc: accesspath.Location(global)}, true
	}
	loc := base.Loc[:len(base.Loc)-len(lastField(base.Loc))] + accesspath.Location(mutex)
	return accesspath.Ref{Path: base.Base.Field(mutex), Base: base.Base, Loc: loc}, true
}

func lastField(l accesspath.Location) string {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i] == '.' {
			return string(l[i+1:])
		}
	}
	return string(l)
}

// resolver returns the resolver of f.
func (p *Package) resolver(f *Func) *accesspath.Resolver {
	if f.Res == nil {
		f.Res = accesspath.NewResolver(f.Fn, func(c *ssa.Call, i int) (accesspath.Path, bool) {
			return p.callResult(f, c, i)
		}, p.alias)
	}
	return f.Res
}

// callResult names result i of a call whose callee always returns the same part
// of an argument, or a new object.
func (p *Package) callResult(f *Func, c *ssa.Call, i int) (accesspath.Path, bool) {
	cs := p.callees(nil, &c.Call)
	if len(cs) != 1 || cs[0].may {
		return accesspath.Unknown, false
	}
	known := stdlib.OfFunc(cs[0].obj)
	if known.ReadLocker {
		return lockset.ReadLocker(f.Res.Resolve(cs[0].args[0]).Path), false
	}
	if known.Access&stdlib.Element != 0 && i == 0 && len(cs[0].args) > 1 {
		return f.Res.Resolve(cs[0].args[0]).Path.Index(f.Res.Key(cs[0].args[1])), false
	}
	s := p.summaryOf(cs[0])
	if s == nil || i >= len(s.Results) {
		return accesspath.Unknown, false
	}
	r := s.Results[i]
	if r.Path != accesspath.Unknown {
		path := p.translate(f, cs[0], r.Path)
		if strings.Contains(string(path), "[*]") {
			path = accesspath.Unknown // some element: better named by the call
		}
		return path, false
	}
	return accesspath.Unknown, r.Fresh
}

// lockOps finds what the instructions of f do to locks.
func (p *Package) lockOps(f *Func) map[ssa.Instruction][]lockset.Op {
	ops := make(map[ssa.Instruction][]lockset.Op)
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			var list []lockset.Op
			switch instr := instr.(type) {
			case *ssa.Go:
			case ssa.CallInstruction:
				list = p.callOps(f, instr)
			case *ssa.Send:
				list = p.tokenOps(f, instr.Chan, true)
			case *ssa.UnOp:
				if instr.Op == token.ARROW {
					list = p.tokenOps(f, instr.X, false)
				}
			case *ssa.Select:
				list = p.selectOps(f, instr)
			}
			if len(list) > 0 {
				ops[instr] = list
			}
		}
	}
	return ops
}

// callOps finds what a call does to the locks of f.
func (p *Package) callOps(f *Func, instr ssa.CallInstruction) []lockset.Op {
	c := instr.Common()
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return nil
	}
	var list []lockset.Op
	cs := p.callees(f, c)
	for _, callee := range cs {
		s := p.summaryOf(callee)
		if s == nil {
			continue
		}
		list = p.effects(f, callee, s, list)
		for _, pc := range s.Calls {
			if pc.Kind == Called {
				for _, lit := range p.argument(f, callee, pc.Param) {
					if ls := p.summaryOf(lit); ls != nil {
						list = p.effects(f, lit, ls, list)
					}
				}
			}
		}
	}
	if len(list) > 0 {
		return list
	}
	// A type of one's own that is a lock by its methods counts as such where
	// its methods do not show a lock inside.
	if op, ok := lockset.Primitive(c, f.Res); ok {
		return []lockset.Op{op}
	}
	return nil
}

func (p *Package) effects(f *Func, c callee, s *FuncSummary, list []lockset.Op) []lockset.Op {
	for _, op := range s.Effects {
		op.Guard.Path = p.translate(f, c, op.Guard.Path)
		op.May = op.May || c.may
		if op.Guard.Path != accesspath.Unknown {
			list = append(list, op)
		}
	}
	return list
}

// argument returns the function that argument i of a call is, if known.
func (p *Package) argument(f *Func, c callee, i int) []callee {
	if i >= len(c.args) {
		return nil
	}
	fn, mc, via := p.funcValue(f, c.args[i])
	if fn == nil {
		return nil
	}
	cs := p.static(fn, nil, mc)
	for i := range cs {
		cs[i].via = via
	}
	return cs
}

// tokenOps finds what a send to or a receive from ch does, if ch is a lock.
func (p *Package) tokenOps(f *Func, ch ssa.Value, send bool) []lockset.Op {
	t := p.tokens[chanLocation(ch)]
	if !t.isLock() {
		return nil
	}
	if l, ok := ch.(*ssa.UnOp); !ok || ownsChannel(l.X) {
		return nil
	}
	ref := f.Res.Resolve(ch)
	op := lockset.Op{Kind: lockset.Release, Guard: lockset.Guard{Path: ref.Path, Class: ref.Loc, Mode: lockset.Exclusive}}
	if send != t.primed {
		op.Kind = lockset.Acquire
	}
	return []lockset.Op{op}
}

// selectOps does the same for the cases of a select statement.
func (p *Package) selectOps(f *Func, sel *ssa.Select) []lockset.Op {
	var list []lockset.Op
	for i, st := range sel.States {
		for _, op := range p.tokenOps(f, st.Chan, st.Dir == types.SendOnly) {
			op.Outcome, op.Case = lockset.IfCase, i
			list = append(list, op)
		}
	}
	return list
}
