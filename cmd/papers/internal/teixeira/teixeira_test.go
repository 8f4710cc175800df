package teixeira_test

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/cmd/papers/internal/teixeira"
)

// TestReports checks all reports by the "want" comments in the packages, several
// times: they have to be the same, in the same order.
func TestReports(t *testing.T) {
	packages := []string{
		"papers", // the programs of which the output of the tool is known
		"flow",   // atoms in Go, and when they are consecutive
	}
	var before []string
	for range 3 {
		var all []string
		for _, r := range analysistest.Run(t, analysistest.TestData(), teixeira.Analyzer, packages...) {
			for _, d := range r.Diagnostics {
				at := r.Pass.Fset.Position(d.Pos)
				if !slices.Contains([]string{teixeira.RwR, teixeira.WrW, teixeira.RwW}, d.Category) || len(d.Related) != 1 {
					t.Fatalf("%s: category %s, %d related positions", at, d.Category, len(d.Related))
				}
				all = append(all, fmt.Sprintln(at, d.Message, r.Pass.Fset.Position(d.Related[0].Pos)))
			}
		}
		if before != nil && !slices.Equal(all, before) {
			t.Fatalf("two runs differ:\n%s\n%s", before, all)
		}
		before = all
	}
}
