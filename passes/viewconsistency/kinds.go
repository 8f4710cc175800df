package viewconsistency

import "github.com/atomvet/atomvet/passes/internal/finding"

// Kinds returns the categories of the findings.
func Kinds() []finding.Kind {
	return []finding.Kind{{Name: splitRead}, {Name: splitWrite}, {Name: earlyWrite}}
}
