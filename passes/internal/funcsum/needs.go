package funcsum

import (
	"go/token"

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
