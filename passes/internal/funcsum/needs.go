package funcsum

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// NeedsValue returns an instruction of f that fails if what e reads is zero or nil, or nil.
func (f *Body) NeedsValue(e *Event) ssa.Instruction {
	if use := f.Dereference(e); use != nil {
		return use
	}
	for _, v := range e.Values {
		for _, use := range ssautil.Uses(v) {
			switch use := use.(type) {
			case ssa.CallInstruction:
				if use.Common().Value == v { // of a function, or of a method of an interface
					return use
				}
				if needsPositive(use, v) {
					return use
				}
			case *ssa.TypeAssert:
				if !use.CommaOk {
					return use
				}
			case *ssa.MapUpdate:
				if use.Map == v {
					return use
				}
			case *ssa.BinOp:
				if use.Y == v && (use.Op == token.QUO || use.Op == token.REM) {
					return use
				}
			}
		}
	}
	return nil
}

// needsPositive reports whether a call panics if v, its last argument, is zero.
//
//	time.NewTicker(p.Interval())
func needsPositive(c ssa.CallInstruction, v ssa.Value) bool {
	fn, args := ssautil.Target(c.Common()), c.Common().Args
	if fn == nil || len(args) == 0 || args[len(args)-1] != v {
		return false
	}
	return stdlib.OfFunc(ssautil.Object(fn)).Positive
}

// needsArgument reports whether the function that is called always dereferences its argument v, and does not compare it.
//
//	s.cleanup(s.stream()) // func (s *S) cleanup(t *stream) { t.mu.Lock() … }
func (p *Summaries) needsArgument(call ssa.CallInstruction, v ssa.Value, depth int) bool {
	if _, isGo := call.(*ssa.Go); isGo || depth == 0 {
		return false
	}
	fn := ssautil.Generic(ssautil.Target(call.Common()))
	if fn == nil || len(fn.Blocks) == 0 || ssautil.Recovers(fn) {
		return false
	}
	for i, arg := range call.Common().Args {
		if arg == v && i < len(fn.Params) && p.needsParam(fn.Params[i], depth) {
			return true
		}
	}
	return false
}

// needsParam reports whether a function dereferences a parameter whenever it returns, by itself or in a callee, and does not compare it.
func (p *Summaries) needsParam(prm *ssa.Parameter, depth int) bool {
	k := need{prm, depth}
	known, ok := p.needs[k]
	if !ok {
		if p.needs == nil {
			p.needs = make(map[need]bool)
		}
		known = p.followsAlways(prm, depth)
		p.needs[k] = known
	}
	return known
}

func (p *Summaries) followsAlways(prm *ssa.Parameter, depth int) bool {
	if _, tested := usedAsPointer(prm); tested {
		return false
	}
	always := false
	for _, use := range ssautil.Uses(prm) {
		call, ok := use.(ssa.CallInstruction)
		if ok && isAskedBy(call, prm) {
			return false
		}
		always = always || (follows(use, prm) || ok && p.needsArgument(call, prm, depth-1)) && precedesReturns(use)
	}
	return always
}

// isAskedBy reports whether a callee tests its argument v for nil, and has a bool or an error as a result: the result guards the
// dereferences of the caller. A dynamic callee is assumed to.
//
//	if !valid(t) { return }
func isAskedBy(call ssa.CallInstruction, v ssa.Value) bool {
	fn := ssautil.Generic(ssautil.Target(call.Common()))
	if fn == nil {
		return true
	}
	answers := false
	for r := range fn.Signature.Results().Variables() {
		answers = answers || ssautil.IsBool(r.Type()) || ssautil.IsError(r.Type())
	}
	for i, arg := range call.Common().Args {
		if answers && arg == v && i < len(fn.Params) {
			if _, tested := usedAsPointer(fn.Params[i]); tested {
				return true
			}
		}
	}
	return false
}

// precedesReturns reports whether a function executes an instruction whenever it returns.
func precedesReturns(instr ssa.Instruction) bool {
	return !slices.ContainsFunc(ssautil.Returns(instr.Parent()), func(ret *ssa.Return) bool { return !instr.Block().Dominates(ret.Block()) })
}
