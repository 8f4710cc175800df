package reacquire

import "github.com/atomvet/atomvet/passes/internal/finding"

// Kinds returns the categories of the findings.
func Kinds() []finding.Kind {
	return []finding.Kind{
		{Name: reacquired},
		{Name: encapsulated, Optional: true}, {Name: bare, Optional: true}, {Name: different, Optional: true},
	}
}
