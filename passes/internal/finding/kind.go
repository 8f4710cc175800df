package finding

// A Kind is a category of findings.
type Kind struct {
	Name     string
	Optional bool // reported only if a flag asks for it
}

// Failure is the category of internal errors of atomvet.
const Failure = "failure"
