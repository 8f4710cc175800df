package lifetime

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

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
