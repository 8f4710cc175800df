package funcsum

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// lockOps returns the operations on locks of the instructions of f.
func (p *Summaries) lockOps(f *Body) map[ssa.Instruction][]lockset.Op {
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

// callOps returns the operations on locks of a call.
func (p *Summaries) callOps(f *Body, instr ssa.CallInstruction) []lockset.Op {
	c := instr.Common()
	if ssautil.Builtin(c) != "" {
		return nil
	}
	var list []lockset.Op
	cs := p.Callees(f, c)
	for _, callee := range cs {
		s := p.SummaryOf(callee)
		if s == nil {
			continue
		}
		list = p.effects(f, callee, s, list)
		for _, pc := range s.Calls {
			if pc.Kind == fact.Called {
				for _, lit := range p.Argument(f.Node, callee, pc.Param) {
					if ls := p.SummaryOf(lit); ls != nil {
						list = p.effects(f, lit, ls, list)
					}
				}
			}
		}
	}
	if len(list) > 0 {
		return list
	}
	if _, static := c.Value.(*ssa.Function); !static && !c.IsInvoke() && len(cs) == 1 {
		return p.methodValue(f, cs[0])
	}
	// A type with the methods of a lock is one if the summaries of its methods have no
	// effect on a lock inside.
	if op, ok := lockset.Primitive(c, f.Res); ok {
		return []lockset.Op{op}
	}
	return nil
}

// methodValue returns the operation of a call of a method value of a lock, which may be the
// result of another call:
//
//	unlock := s.mu.Unlock
//	defer s.lock()() // func (s *S) lock() func() { s.mu.Lock(); return s.mu.Unlock }
func (p *Summaries) methodValue(f *Body, c callgraph.Callee) []lockset.Op {
	if c.Obj == nil || c.Obj.Signature().Recv() == nil || len(c.Args) == 0 {
		return nil
	}
	res := f.Res
	if c.Via != nil {
		res = p.resolver(p.of(c.Via.Maker))
	}
	op, ok := lockset.Operation(c.Obj, c.Args[0], c.Args[1:], res)
	if !ok || op.Outcome != lockset.Always {
		return nil
	}
	if c.Via != nil {
		op.Guard.Path = op.Guard.Path.Substitute(p.roots(f, callgraph.Callee{Args: c.Via.Call.Call.Args}))
	}
	if op.Guard.Path == accesspath.Unknown {
		return nil
	}
	return []lockset.Op{op}
}

// effects adds the effects in summary s of callee c, translated to f.
func (p *Summaries) effects(f *Body, c callgraph.Callee, s *fact.FuncSummary, list []lockset.Op) []lockset.Op {
	for _, op := range s.Effects {
		op.Guard = p.TranslateGuard(f, c, op.Guard)
		op.May = op.May || c.May
		if op.Guard.Path != accesspath.Unknown {
			list = append(list, op)
		}
	}
	return list
}

// tokenOps returns the operation of a send to or a receive from ch, if ch is a lock.
func (p *Summaries) tokenOps(f *Body, ch ssa.Value, send bool) []lockset.Op {
	t := p.Token(ch)
	if !t.IsLock() {
		return nil
	}
	ref := f.Res.Resolve(ch)
	switch ch := ch.(type) {
	case *ssa.UnOp:
		if callgraph.OwnsChannel(ch.X) {
			return nil
		}
	case *ssa.Parameter:
		ref.Loc = accesspath.ParamLocation(ch) // which the caller replaces by that of the argument
	default:
		return nil
	}
	op := lockset.Op{Kind: lockset.Release, Guard: lockset.Guard{Path: ref.Path, Class: ref.Loc, Mode: lockset.Exclusive}}
	if send != t.Primed {
		op.Kind = lockset.Acquire
	}
	return []lockset.Op{op}
}

// selectOps returns the operations on locks of the cases of a select statement.
func (p *Summaries) selectOps(f *Body, sel *ssa.Select) []lockset.Op {
	var list []lockset.Op
	for i, st := range sel.States {
		for _, op := range p.tokenOps(f, st.Chan, st.Dir == types.SendOnly) {
			op.Outcome, op.Case = lockset.IfCase, i
			list = append(list, op)
		}
	}
	return list
}
