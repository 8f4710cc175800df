package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
)

// testsPresence reports whether a branch of f tests whether the element that e reads
// exists. Such code handles a missing element.
func (f *Body) testsPresence(e *Event) bool {
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

// AbsentSide returns the index of the successor that a branch on cond takes if the element
// that e reads does not exist, or is nil; -1 if cond does not imply either.
func AbsentSide(cond ssa.Value, e *Event) int {
	return branch.Side(cond, func(f branch.Fact) bool {
		return (f.Absent() || f.Nil()) && slices.Contains(e.Values, f.Subject)
	})
}
