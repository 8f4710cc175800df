package funcsum

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
)

// A Taking is an acquisition of a lock at an instruction of a function.
type Taking struct {
	fact.Acquisition
	// Instr is the instruction, and Ord its ordinal in the function.
	Instr ssa.Instruction
	Ord   int
	// Inner is set if the instruction is a call that also releases the lock.
	Inner bool
	// May is set if the call may run another function instead.
	May bool
}
