package fact

// An Effect says what a write does to what is there, as far as that can be told
// without the values.
type Effect uint8

const (
	Anything Effect = iota
	Removes         // takes an element away
	Fills           // puts in something that is not nil
	Raises          // adds a positive amount, or appends
	Lowers          // takes a positive amount away
)
