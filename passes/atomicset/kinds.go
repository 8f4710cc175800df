package atomicset

import (
	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
	"github.com/atomvet/atomvet/passes/internal/finding"
)

// The categories of the findings beside the scenarios.
const (
	inferredCategory   = "inferred-set" // about sets that are not declared
	directiveCategory  = "directive"    // about a directive that is wrong
	incompleteCategory = "incomplete"   // about a set that is checked only in part
	statsCategory      = "stats"
	modelCategory      = "model"
)

// Kinds returns the categories of the findings: the scenarios, by the sequence of accesses, and
// others.
func Kinds() []finding.Kind {
	var out []finding.Kind
	for _, s := range scenario.All {
		out = append(out, finding.Kind{Name: s.String()})
	}
	return append(out,
		finding.Kind{Name: directiveCategory}, finding.Kind{Name: incompleteCategory},
		finding.Kind{Name: inferredCategory, Optional: true}, finding.Kind{Name: statsCategory, Optional: true}, finding.Kind{Name: modelCategory, Optional: true},
	)
}
