package fact

import "strings"

// Traits are properties of an access, as a bit set. Merged accesses have the traits that
// all of them have, and those of MergedAny that one of them has. The bits are in the order of the encoding and of the dump: a new trait
// is a constant and a name.
type Traits uint16

const (
	// Owned is a property of a read: its critical section then writes the location. The
	// read has taken or reserved the value (ownership), which therefore cannot become
	// stale:
	//
	//	n := s.next
	//	s.next++
	Owned Traits = 1 << iota
	// Pure is a property of a write: the value is a number, string or flag that is not
	// computed from shared memory, so that the write is idempotent.
	Pure
	// Clock is a property of a write: the value is the current time.
	Clock
	// Delta is a property of a write: a relative update, which adds an amount to the
	// current value or subtracts one from it (read-modify-write).
	Delta
	// Looked is a property of a write: it has a control dependence on a read of the same
	// element in the same function (revalidation).
	Looked
	// Once is a property of an access: it is made in the function argument of a sync.Once.
	Once
	// Tested is a property of a read of an element: a branch of the function tests whether
	// the element exists.
	Tested
	// Passed is a property of a write: the value is a parameter of the function, unchanged.
	// Each call of such a setter writes a value of its own.
	Passed
	// Shrinks is a property of a write: what it leaves is a part of what was there.
	//
	//	s.idle = s.idle[1:]
	Shrinks
	// Filling is a property of a write: the value is not nil.
	Filling
	// Raising is a property of a write: it adds an amount that is not negative, or appends.
	Raising
	// Lowering is a property of a write: it subtracts an amount that is not negative.
	Lowering
	// Awaited is a property of a read: a loop that waits may have ended because of what was read, see funcsum/awaited.go.
	Awaited
	// AwaitedLess and AwaitedMore are properties of an Awaited read: there is less then, or more, than while the loop waited.
	AwaitedLess
	AwaitedMore

	allTraits = 1<<iota - 1

	// MergedAny are the traits that merged accesses have if one of them has: one read of a section waits for all of them.
	MergedAny = Awaited | AwaitedLess | AwaitedMore
)

var traitNames = [...]string{"owned", "pure", "clock", "delta", "looked", "once", "tested", "passed", "shrinks", "fills", "raises", "lowers", "awaited", "awaited-less", "awaited-more"}

// Has reports whether t has all of the given traits.
func (t Traits) Has(some Traits) bool { return t&some == some }

// With returns t with the given traits added if holds is true, and removed if it is false.
func (t Traits) With(some Traits, holds bool) Traits {
	if holds {
		return t | some
	}
	return t &^ some
}

// Effect returns the effect of a write with the given operations and traits.
func (t Traits) Effect(op Op) Effect {
	switch {
	case op&Delete != 0 || t.Has(Shrinks):
		return Removes
	case t.Has(Filling):
		return Fills
	case t.Has(Raising):
		return Raises
	case t.Has(Lowering):
		return Lowers
	}
	return Anything
}

// String returns the names of the traits, each after a space.
func (t Traits) String() string {
	var b strings.Builder
	for i, name := range traitNames {
		if t&(1<<i) != 0 {
			b.WriteString(" " + name)
		}
	}
	return b.String()
}
