package funcsum

import (
	"go/constant"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A switch is a boolean parameter that selects what a function does. A call with a constant
// makes the accesses of one side only:
//
//	func (s *S) mark(on bool) {
//		if on {
//			s.state.Store(1)
//		} else {
//			s.state.Store(0)
//		}
//	}
//
//	s.mark(true) // does not store 0

// switches returns the boolean parameters that are true, and those that are false, wherever
// control comes to block b, as bit sets.
func (f *Body) switches(b *ssa.BasicBlock) (with, without uint32) {
	for i, prm := range f.Fn.Params {
		if i >= fact.MaxParams || !ssautil.IsBool(prm.Type()) {
			continue
		}
		switch {
		case branch.Holds(prm, b, branch.Fact.True):
			with |= 1 << i
		case branch.Holds(prm, b, branch.Fact.False):
			without |= 1 << i
		}
	}
	return with, without
}

// switched sets the switches of f that the access of a callee depends on. It returns false if
// the arguments of the call exclude the access.
func (e *Event) switched(f *Body, args []ssa.Value, a *fact.Access) bool {
	for i, arg := range args {
		if i >= fact.MaxParams || (a.TrueParams|a.FalseParams)&(1<<i) == 0 {
			continue
		}
		on := a.TrueParams&(1<<i) != 0
		switch arg := arg.(type) {
		case *ssa.Const:
			if arg.Value != nil && arg.Value.Kind() == constant.Bool && constant.BoolVal(arg.Value) != on {
				return false
			}
		case *ssa.Parameter:
			e.setSwitch(f, arg, on)
		}
	}
	return true
}

func (e *Event) setSwitch(f *Body, of *ssa.Parameter, on bool) {
	for i, prm := range f.Fn.Params {
		switch {
		case prm != of || i >= fact.MaxParams:
		case on:
			e.with |= 1 << i
		default:
			e.without |= 1 << i
		}
	}
}
