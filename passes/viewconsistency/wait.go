package viewconsistency

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// Missed notification: a function looks whether something is there, and fetches the channel that
// tells of the next change in a later critical section. Who changes it closes the channel and makes
// a new one in the same section.
//
//	for !s.isThere() {
//		<-s.changed() // WRONG: a change in between has closed the channel before this one
//	}
//
// The waiter then waits for the change after the next one. The channel has to be fetched first, or
// in one section with the look (see subscription).

// waitWord is the Word of a wait that uses the second value because of the first.
const waitWord = "the wait"

// missedNotification returns the wait on the channel that the second read has yielded, if the first
// one decides about it.
func missedNotification(f *summary.Func, first, second *summary.Event) summary.Join {
	for _, v := range second.Values {
		for _, use := range ssautil.Uses(v) {
			if receivesFrom(use, v) && f.Decides(first, use.Block()) {
				return summary.Join{At: use, Word: waitWord}
			}
		}
	}
	return summary.Join{}
}

// receivesFrom reports whether an instruction waits for the channel ch.
func receivesFrom(instr ssa.Instruction, ch ssa.Value) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.ARROW && instr.X == ch
	case *ssa.Select:
		for _, s := range instr.States {
			if s.Chan == ch && s.Send == nil {
				return instr.Blocking
			}
		}
	}
	return false
}
