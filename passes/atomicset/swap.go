package atomicset

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/summary"
)

// swapSucceeds returns the successor of a block on which a compare-and-swap of the block
// is known to be successful, or -1 if the branch at the end of the block does not depend
// on the result.
func (b *builder) swapSucceeds(block *ssa.BasicBlock, instr ssa.Instruction) int {
	swap, ok := instr.(*ssa.Call)
	br, isBranch := block.Instrs[len(block.Instrs)-1].(*ssa.If)
	if !ok || !isBranch {
		return -1
	}
	if !slices.ContainsFunc(b.steps[instr], func(s summary.Step) bool {
		return s.Kind == summary.AccessStep && s.Event.Op&summary.Compare != 0
	}) {
		return -1
	}
	return branch.TrueSide(br.Cond, swap)
}
