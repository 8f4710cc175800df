package viewconsistency

import (
	"flag"
	"os"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/rule/ruletest"
)

var table = flag.Bool("table", false, "print what each rule changes in the test data")

// TestRules demands of each rule a case that changes without it.
func TestRules(t *testing.T) {
	c, err := ruletest.Load(Analyzer, ruletest.GOPATH(analysistest.TestData()), "./...")
	if err != nil {
		t.Fatal(err)
	}
	if *table {
		if err := ruletest.Table(os.Stdout, c, ruleFlags.Rules()); err != nil {
			t.Error(err)
		}
	}
	// What only matters with the papers' definitions.
	plain := map[string]string{"use-of-used": "rw", "one-instruction": "rw", "write-of-read": "correlation"}
	ruletest.Check(t, c, slices.DeleteFunc(slices.Clone(ruleFlags.Rules()), func(r rule.Info) bool { return plain[r.ID] != "" }))
	for _, r := range ruleFlags.Rules() {
		if name := plain[r.ID]; name != "" {
			if err := Analyzer.Flags.Set(name, "false"); err != nil {
				t.Fatal(err)
			}
			ruletest.Check(t, c, []rule.Info{r})
			if err := Analyzer.Flags.Set(name, "true"); err != nil {
				t.Fatal(err)
			}
		}
	}
}
