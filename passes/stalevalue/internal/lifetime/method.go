package lifetime

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// isWait reports whether an instruction waits for other goroutines.
func isWait(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case *ssa.Select:
		return instr.Blocking
	case *ssa.Call:
		obj := calledMethod(&instr.Call)
		known := stdlib.OfFunc(obj)
		return known.Awaits || known.WaitsFor != "" || obj != nil && obj.Name() == "Sleep" && obj.Pkg() != nil && obj.Pkg().Path() == "time"
	}
	return false
}

// calledMethod returns the function that a call names, or nil.
func calledMethod(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if fn := c.StaticCallee(); fn != nil {
		obj, _ := fn.Object().(*types.Func)
		return obj
	}
	return nil
}
