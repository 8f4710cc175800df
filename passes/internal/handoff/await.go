package handoff

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// awaitAfter returns an instruction that waits for something after instr, or nil.
func awaitAfter(f *funcsum.Body, instr ssa.Instruction) ssa.Instruction {
	for _, b := range f.Fn.Blocks {
		for _, k := range b.Instrs {
			if k != instr && waits(k) && f.Order().Flows(instr, k) {
				return k
			}
		}
	}
	return nil
}

// waits reports whether an instruction waits for another goroutine to send, or to end.
func waits(k ssa.Instruction) bool {
	switch k := k.(type) {
	case *ssa.UnOp:
		return k.Op == token.ARROW
	case *ssa.Select:
		return k.Blocking
	case *ssa.Call:
		if fn := k.Call.StaticCallee(); fn != nil {
			obj, ok := fn.Object().(*types.Func)
			return ok && stdlib.OfFunc(obj).Awaits
		}
	}
	return false
}
