package summary

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// alias names the locker of a condition variable by its mutex.
func (p *SumPackage) alias(base accesspath.Ref, field string) (accesspath.Ref, bool) {
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
func (p *SumPackage) resolver(f *SumFunc) *accesspath.Resolver {
	if f.Res == nil {
		f.Res = accesspath.NewResolver(f.Fn, func(c *ssa.Call, i int) (accesspath.Path, bool) {
			return p.callResult(f, c, i)
		}, p.alias)
	}
	return f.Res
}

// callResult names result i of a call whose callee always returns the same part
// of an argument, or a new object.
func (p *SumPackage) callResult(f *SumFunc, c *ssa.Call, i int) (accesspath.Path, bool) {
	cs := p.resolve(nil, &c.Call)
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
		if path.HasAny() {
			path = accesspath.Unknown // some element: better named by the call
		}
		return path, false
	}
	return accesspath.Unknown, r.Fresh
}

// lockOps finds what the instructions of f do to locks.
func (p *SumPackage) lockOps(f *SumFunc) map[ssa.Instruction][]lockset.Op {
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
func (p *SumPackage) callOps(f *SumFunc, instr ssa.CallInstruction) []lockset.Op {
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
				for _, lit := range p.argument(f.GraphFunc, callee, pc.Param) {
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

func (p *SumPackage) effects(f *SumFunc, c callee, s *FuncSummary, list []lockset.Op) []lockset.Op {
	for _, op := range s.Effects {
		op.Guard.Path = p.translate(f, c, op.Guard.Path)
		op.May = op.May || c.may
		if op.Guard.Path != accesspath.Unknown {
			list = append(list, op)
		}
	}
	return list
}

// tokenOps finds what a send to or a receive from ch does, if ch is a lock.
func (p *SumPackage) tokenOps(f *SumFunc, ch ssa.Value, send bool) []lockset.Op {
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
func (p *SumPackage) selectOps(f *SumFunc, sel *ssa.Select) []lockset.Op {
	var list []lockset.Op
	for i, st := range sel.States {
		for _, op := range p.tokenOps(f, st.Chan, st.Dir == types.SendOnly) {
			op.Outcome, op.Case = lockset.IfCase, i
			list = append(list, op)
		}
	}
	return list
}
