package counterpart

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// A Shutdown is the write of a flag in a function that acts on something else later.
type Shutdown struct {
	fact.Writer
	// Joined are the groups and channels that all such functions have waited for before they act.
	Joined []accesspath.Location
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
	// Marks are the constants that the section leaves in a state, if it stops the timer for good:
	//
	//	s.mu.Lock(); u.timer.Stop(); u.state = stopped; s.mu.Unlock()
	Marks map[accesspath.Location]string
}
