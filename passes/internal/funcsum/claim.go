package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A claim is an in-progress flag: a function sets it, in the critical section in which it
// has found the flag clear, and clears it later. Other goroutines that find it set return
// or wait. The code in between is a critical section of its own, as if a lock were held
// whose path is that of the flag:
//
//	if f := g.flights[key]; f != nil { … wait for f }
//	g.flights[key] = f // set
//	g.mu.Unlock()
//	f.value = load() // in the critical section of g.flights[key]
//	g.mu.Lock()
//	delete(g.flights, key) // clear
//
// The same holds for a flag that is set by a compare-and-swap, and for one that a callee sets
// and leaves set, as its result implies: see leftover.
type claim struct {
	// Guard is the flag as a lock.
	Guard lockset.Guard
	// set is the write that acquires it, and clears are those that may release it.
	set    *Event
	clears []*Event
	// from is the first block in which the claim is known to be acquired, if that follows from
	// the result of a compare-and-swap or of a callee, nil for other claims.
	from *ssa.BasicBlock
	// again are the sides of later branches on which the flag has been set, see isMade.
	again []side
}

// A side is a successor of a branch, 0 or 1.
type side struct {
	br    *ssa.If
	taken int
}

// untilReturn reports whether a deferred call clears the flag.
func (c claim) untilReturn() bool {
	return slices.ContainsFunc(c.clears, func(clear *Event) bool {
		_, deferred := clear.Instr.(*ssa.Defer)
		return deferred
	})
}

// A leftover is a flag that a function sets where it has found it clear, and that is still set
// when it returns: always, or if one of its results says so. The caller has the claim then.
//
//	func (j *job) begin() bool {
//		j.mu.Lock()
//		defer j.mu.Unlock()
//		if j.running { return false }
//		j.running = true
//		return true
//	}
//
//	func (j *job) Run() {
//		if !j.begin() { return }
//		defer j.end() // clears j.running
//		… // has the claim of j.running
//	}
//
// It is must-information: a function that sets the flag on some way of which its results do not
// tell leaves nothing.
type leftover struct {
	set *Event     // the write
	op  lockset.Op // the condition on the result
}
