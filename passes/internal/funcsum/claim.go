package funcsum

import (
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"golang.org/x/tools/go/ssa"
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
// The same holds for a flag that is set by a compare-and-swap.
type claim struct {
	// Guard is the flag as a lock, and set and clear are the writes that acquire and
	// release it.
	Guard      lockset.Guard
	set, clear *Event
	// from is the first block in which a compare-and-swap has succeeded, nil for other
	// claims.
	from *ssa.BasicBlock
}

// untilReturn reports whether a deferred call clears the flag.
func (c claim) untilReturn() bool {
	_, deferred := c.clear.Instr.(*ssa.Defer)
	return deferred
}
