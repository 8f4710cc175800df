package fact

// A Truth says what a flag tells about the variable that it was read from: whether
// that is true, or there.
type Truth uint8

const (
	Untold Truth = iota
	Plain
	Negated
)

// Not returns what the negation of a flag tells.
func (t Truth) Not() Truth {
	switch t {
	case Plain:
		return Negated
	case Negated:
		return Plain
	}
	return Untold
}
