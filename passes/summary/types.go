package summary

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

func derefType(t types.Type) types.Type {
	if ptr, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

// instrPos returns the position of an instruction, or of the nearest operand
// or instruction before it that has one.
func instrPos(instr ssa.Instruction) token.Pos {
	if at := instr.Pos(); at.IsValid() {
		return at
	}
	var buf [8]*ssa.Value
	for _, op := range instr.Operands(buf[:0]) {
		if *op != nil && (*op).Pos().IsValid() {
			if _, ok := (*op).(ssa.Instruction); ok {
				return (*op).Pos()
			}
		}
	}
	b := instr.Block()
	at := token.NoPos
	for _, i := range b.Instrs {
		if i == instr {
			break
		}
		if i.Pos().IsValid() {
			at = i.Pos()
		}
	}
	return at
}

func isMutex(t types.Type) bool {
	known, _ := stdlib.OfType(t)
	return known.Lock && !known.Abstract
}
