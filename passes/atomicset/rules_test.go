package atomicset

import (
	"flag"
	"os"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/internal/rule/ruletest"
)

var table = flag.Bool("table", false, "print what each rule changes in the test data")

// TestRules demands of each rule a case that changes without it.
func TestRules(t *testing.T) {
	infer = true
	defer func() { infer = false }()
	c, err := ruletest.Load(Analyzer, ruletest.GOPATH(analysistest.TestData()), "accesses", "known", "locks")
	if err != nil {
		t.Fatal(err)
	}
	if *table {
		if err := ruletest.Table(os.Stdout, c, ruleFlags.Rules()); err != nil {
			t.Error(err)
		}
	}
	ruletest.Check(t, c, ruleFlags.Rules())
}
