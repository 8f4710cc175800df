package fact

import "strings"

// Traits are what an access is like, as a set. One access that stands for several has
// those that all of them have. The order is that of the encoding and of the dump: a new
// trait is a constant and a name.
type Traits uint8

const (
	// Owned says of a read that its region then writes the location: what
	// was read has been taken out or reserved, and cannot become stale.
	Owned Traits = 1 << iota
	// Pure says of a write that its value is a plain number, string or flag
	// that is not computed from shared memory.
	Pure
	// Clock says of a write that its value is the current time.
	Clock
	// Delta says of a write that it adds an amount to what is there, or takes
	// it away.
	Delta
	// Looked says of a write that it is decided by a read of the same place.
	Looked
	// Once says that the access is made in the function of a sync.Once.
	Once
	// Tested says of a read of an element that the function asks whether it is there.
	Tested

	allTraits = 1<<iota - 1
)

var traitNames = [...]string{"owned", "pure", "clock", "delta", "looked", "once", "tested"}

// Has reports whether t has all of the given traits.
func (t Traits) Has(some Traits) bool { return t&some == some }

// With returns t with the given traits if holds is true, and else without them.
func (t Traits) With(some Traits, holds bool) Traits {
	if holds {
		return t | some
	}
	return t &^ some
}

// String returns the names of the traits, each behind a space.
func (t Traits) String() string {
	var b strings.Builder
	for i, name := range traitNames {
		if t&(1<<i) != 0 {
			b.WriteString(" " + name)
		}
	}
	return b.String()
}
