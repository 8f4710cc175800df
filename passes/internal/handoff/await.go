package handoff

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/funcsum"
)

// awaitAfter returns an instruction that waits for something after instr, or nil.
func awaitAfter(f *funcsum.Body, instr ssa.Instruction) ssa.Instruction {
	for _, b := range f.Fn.Blocks {
		for _, k := range b.Instrs {
			if k != instr && funcsum.Waits(k) && f.Order().Flows(instr, k) {
				return k
			}
		}
	}
	return nil
}
