package process

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// VisitHeld visits the instructions of f with the locks that f or all its callers hold there, those
// without a class left out.
func (f *Func) VisitHeld(visit func(instr ssa.Instruction, locks []lockset.Guard)) {
	if f.Flow == nil {
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				visit(instr, f.Entry)
			}
		}
		return
	}
	f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
		locks := slices.Clip(f.Entry)
		for _, h := range st.Held {
			if f.Flow.Holds(h) && h.Class != "" {
				locks = append(locks, h.Guard)
			}
		}
		visit(instr, locks)
	})
}
