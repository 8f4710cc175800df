package fact

// A Truth relates a boolean value to the variable that it was read from: whether the
// variable is true, not nil, not empty, or an existing element.
type Truth uint8

const (
	// Untold is the relation of a value that depends on more than one variable, or on none.
	Untold Truth = iota
	// Plain is the relation of a value that is true if the variable is, or if the element
	// exists.
	Plain
	// Negated is the relation of the negation of a Plain value.
	Negated
)

// Not returns the relation of the negated value.
func (t Truth) Not() Truth {
	switch t {
	case Plain:
		return Negated
	case Negated:
		return Plain
	}
	return Untold
}
