package stalevalue_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/stalevalue"
)

// TestFixes makes one step of two where that is mechanical, and nothing else.
func TestFixes(t *testing.T) {
	healthy(t, analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), stalevalue.Analyzer,
		"fixes/atomics", "fixes/maps", "fixes/sections", "fixes/secondlook", "fixes/copies"))
}

// TestFixesAlone: statements that are to be replaced have no comments, and so none that says what
// is reported there.
func TestFixesAlone(t *testing.T) {
	healthy(t, analysistest.RunWithSuggestedFixes(unasked{t}, analysistest.TestData(), stalevalue.Analyzer, "fixes/alone"))
}

// unasked is a test to which what is reported is no error.
type unasked struct{ *testing.T }

func (u unasked) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, "unexpected diagnostic") {
		u.T.Error(text)
	}
}
