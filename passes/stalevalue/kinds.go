package stalevalue

import "github.com/atomvet/atomvet/passes/internal/finding"

// Kinds returns the categories of the findings.
func Kinds() []finding.Kind {
	return []finding.Kind{{Name: lostUpdate}, {Name: checkThenAct}, {Name: staleUse}, {Name: escapeRef}, {Name: escape, Optional: true}}
}
