package ignores

import (
	"go/ast"
	"go/token"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

// Observer is the name by which comments silence the reports of the command atomvet observe, which
// sees programs run and has no analyzer.
const Observer = "observe"

// ObserverKinds are the categories of these reports.
var ObserverKinds = []string{"view-conflict", "split-read", "split-write", "stale-value", "lost-update"}

// observerNames returns the names that mean the observer alone. Some of its categories are categories
// of detectors, too, so that they need its name in front.
func observerNames() []string {
	out := []string{Observer}
	for _, kind := range ObserverKinds {
		out = append(out, Observer+"/"+kind)
	}
	return out
}

// Silences reports whether a comment in a file silences a category of the observer on a line, under
// its own name or under that of the detector that looks for the same.
func Silences(fset *token.FileSet, file *ast.File, line int, detector, category string) bool {
	return finding.SilencesLine(fset, file, line, Observer, category) || finding.SilencesLine(fset, file, line, detector, category)
}
