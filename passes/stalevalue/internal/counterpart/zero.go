package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// asksForZero reports whether f, or the callee that makes an access for it, compares what is read with zero.
func (p *Finder) asksForZero(f *process.Func, e *funcsum.Event) bool {
	for _, e := range p.Descent(f, e) {
		if comparedWithZero(e) {
			return true
		}
	}
	return false
}

// comparedWithZero reports whether the function compares what an access reads with zero.
func comparedWithZero(e *funcsum.Event) bool {
	return slices.ContainsFunc(e.Values, func(v ssa.Value) bool {
		return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
			cmp, ok := use.(*ssa.BinOp)
			return ok && ssautil.IsComparison(cmp.Op) && (ssautil.IsZero(cmp.X) || ssautil.IsZero(cmp.Y))
		})
	})
}
