package driver

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/reacquire"
	"github.com/atomvet/atomvet/passes/stalevalue"
)

// TestConfidence: the flag without the name of a detector is for all.
func TestConfidence(t *testing.T) {
	analyzers := []*analysis.Analyzer{stalevalue.Analyzer, reacquire.Analyzer}
	defer parse(analyzers, []string{"-confidence=high"})
	opts, err := parse(analyzers, []string{"-confidence=medium", "-reacquire.confidence=low"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-stalevalue.confidence=medium", "-reacquire.confidence=medium", "-reacquire.confidence=low"}
	if !slices.Equal(opts.vet, want) {
		t.Errorf("flags %q, want %q", opts.vet, want)
	}
	if _, err := parse(analyzers, []string{"-confidence=none"}); err == nil || !strings.Contains(err.Error(), "high, medium or low") {
		t.Errorf("error %v", err)
	}
}
