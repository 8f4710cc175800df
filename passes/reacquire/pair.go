package reacquire

import "github.com/atomvet/atomvet/passes/internal/lockset"

// A pair is a witness lock that is taken twice in one critical section of a context.
type pair struct {
	first, second int // indexes of takings
	context       context
}

// A context is a critical section of the context lock, by where it was taken.
type context struct {
	lockset.Guard
	site int // ordinal, lockset.Entry for a lock of the caller
	// caller holds it, if it is not taken in the function.
	caller string
	// some says that not all callers hold it.
	some bool
}

// entry reports whether a context is a lock of the caller.
func (c context) entry() bool { return c.site == lockset.Entry }
