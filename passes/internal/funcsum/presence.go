package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
)

// asksPresence reports whether an element that f looks up is asked whether it is there:
// who asks can bear that it is not.
func (f *Body) asksPresence(e *Event) bool {
	if e.Key == "" || !e.Reads() || e.Writes() {
		return false
	}
	for br := range depgraph.Branches(f.Fn) {
		if AbsentSide(br.Cond, e) >= 0 {
			return true
		}
	}
	return false
}

// AbsentSide returns the successor of a branch on cond that is taken if what e
// looked up is not there, or nil, or -1 if the condition does not tell.
func AbsentSide(cond ssa.Value, e *Event) int {
	return branch.Side(cond, func(f branch.Fact) bool {
		return (f.Absent() || f.Nil()) && slices.Contains(e.Values, f.Subject)
	})
}
