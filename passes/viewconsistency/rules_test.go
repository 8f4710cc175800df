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

// TestRules: each rule has a case whose reports change without it.
func TestRules(t *testing.T) {
	// What only matters with the papers' definitions.
	plain := map[string]string{"use-of-used": "rw", "one-instruction": "rw", "write-of-read": "correlation"}
	of := func(name string) []rule.Info {
		return slices.DeleteFunc(slices.Clone(ruleFlags.Rules()), func(r rule.Info) bool { return plain[r.ID] != name })
	}
	checkRules(t, of(""), "./src/...")
	for name, pkg := range map[string]string{"rw": "./src/tables", "correlation": "./src/uncorrelated"} {
		if err := Analyzer.Flags.Set(name, "false"); err != nil {
			t.Fatal(err)
		}
		checkRules(t, of(name), pkg)
		if err := Analyzer.Flags.Set(name, "true"); err != nil {
			t.Fatal(err)
		}
	}
}

func checkRules(t *testing.T, rules []rule.Info, patterns ...string) {
	t.Helper()
	c, err := ruletest.Load(Analyzer, ruletest.GOPATH(analysistest.TestData()), patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if *table {
		if err := ruletest.Table(os.Stdout, c, rules); err != nil {
			t.Error(err)
		}
	}
	ruletest.Check(t, c, rules)
}
