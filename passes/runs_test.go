package passes_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes"
	"github.com/atomvet/atomvet/passes/corpus"
)

// TestRuns compares what the flags -runs change in the test data of the detectors with
// testdata/golden/runs.txt: "-" begins what no run harms, and "+" a pair of accesses that only a run
// ties together. What is added has a run, with its outcome and those of the serial orders.
func TestRuns(t *testing.T) {
	var lines []string
	for _, name := range []string{"stalevalue", "viewconsistency", "reacquire", "papers"} {
		c := load(t, name)
		cfg := corpus.Config{Detectors: passes.All()}
		before, err := c.Run(cfg)
		if err != nil {
			t.Fatal(err)
		}
		after, err := c.Findings(cfg.With("stalevalue.runs", "true").With("viewconsistency.runs", "true"))
		if err != nil {
			t.Fatal(err)
		}
		reports := make([]corpus.Report, len(after))
		for i, f := range after {
			reports[i] = f.Report
		}
		lost, gained := corpus.Compare(corpus.Golden(before), reports)
		for _, line := range lost {
			lines = append(lines, "- "+line)
		}
		for _, r := range gained {
			lines = append(lines, "+ "+r.Entry())
		}
		for _, f := range after {
			for _, part := range []string{"run: goroutine 1 ", "run: goroutine 2 ", "run: outcome: ", "run: serial outcome: "} {
				if slices.Contains(gained, f.Report) && !slices.ContainsFunc(f.Related, func(m string) bool { return strings.HasPrefix(m, part) }) {
					t.Errorf("%s: no related position begins with %q", f.Entry(), part)
				}
			}
		}
	}
	got := strings.Join(lines, "\n") + "\n"
	file := filepath.Join("..", "testdata", "golden", "runs.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is out of date: read the differences in the source, then -update", file)
	}
}
