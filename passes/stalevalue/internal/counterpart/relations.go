package counterpart

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A Shutdown is the write of a flag in a function that acts on something else later.
type Shutdown struct {
	fact.Writer
	// Joined are the groups and channels that the function has waited for before it acts.
	Joined []accesspath.Location
	// Clears is set if the flag is set while the object is in use, and the write clears it.
	Clears bool
}

// A Renewal sets the timer of an object anew, in a critical section that also notes until when:
//
//	s.mu.Lock(); l.deadline = now.Add(ttl); l.timer.Reset(ttl); s.mu.Unlock()
//
// The function of the timer may have begun before, and wait for the lock.
type Renewal struct {
	fact.Writer // of what is noted
	// Locks are held, and Writes are written, in the section.
	Locks, Writes []accesspath.Location
	// Stops says that the section stops the timer for good.
	Stops bool
	// Marks are the constants that the section leaves in a state, or takes it back to, if it sets the timer anew:
	//
	//	s.mu.Lock(); u.timer.Stop(); u.state = stopped; s.mu.Unlock()
	Marks map[accesspath.Location]string
	// Clears are what the section sets to nil, if it stops the timer for good, other than the timer itself:
	//
	//	s.mu.Lock(); u.timer.Stop(); u.queue = nil; s.mu.Unlock()
	Clears []accesspath.Location
}

// A taker is a callee that is given an object, and its parameter for it.
type taker struct {
	fn    callgraph.FuncID
	param int
}

// A gift is a call in a function of the package with an object as argument.
type gift struct {
	taker
	by *process.Func
	at ssa.CallInstruction
}

// A use is a call of a method of the object in a variable, as an access to that, under a lock.
type use struct {
	*funcsum.Event
	method *types.Func
}

// uses are those of a function, in the order of its instructions, and by instruction.
type uses struct {
	all []*use
	at  map[ssa.Instruction]*use
}

// comparisons say what the number in a field is compared with.
type comparisons struct{ withOther, withEachOther bool }

// A GivenBack is a call that gives an object back to a sync.Pool, by itself or in a callee.
//
//	func release(b *buffer) { b.reset(); pool.Put(b) }
type GivenBack struct {
	At     ssa.CallInstruction
	Object ssa.Value
}
