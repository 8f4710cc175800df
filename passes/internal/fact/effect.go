package fact

// An Effect classifies a write by the change that it makes to the value of its location, as
// far as the change follows from the instruction alone. A check that the change cannot
// invalidate needs no revalidation: an element that was absent is absent after Removes.
type Effect uint8

const (
	// Anything is a write whose effect is unknown.
	Anything Effect = iota
	// Removes is a write that removes elements.
	Removes
	// Fills is a write of a value that is not nil.
	Fills
	// Raises is a write that adds an amount that is not negative, or appends.
	Raises
	// Lowers is a write that subtracts an amount that is not negative.
	Lowers
)
