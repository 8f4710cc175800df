package viewconsistency

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// isFailure reports whether a branch tests an error.
func isFailure(br *ssa.If) bool {
	x := branch.Alone(br.Cond, true)
	return (x.Nil() || x.NonNil()) && ssautil.IsError(x.Subject.Type())
}
