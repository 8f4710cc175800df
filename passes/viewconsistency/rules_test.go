package viewconsistency

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/rule/ruletest"
)

// TestRules: each rule has a case whose reports change without it.
func TestRules(t *testing.T) {
	// What only matters with the papers' definitions.
	plain := map[string]string{"use-of-used": "rw", "one-instruction": "rw", "write-of-read": "correlation"}
	of := func(name string) []rule.Info {
		return slices.DeleteFunc(slices.Clone(ruleFlags.Rules()), func(r rule.Info) bool { return plain[r.ID] != name })
	}
	checkRules(t, of(""), map[string]string{"confidence": "low"}, "./...")
	checkRules(t, of("rw"), map[string]string{"rw": "false"}, "./tables")
	checkRules(t, of("correlation"), map[string]string{"correlation": "false"}, "./uncorrelated")
	ruletest.CheckList(t, ruleFlags.Rules())
}

func checkRules(t *testing.T, rules []rule.Info, flags map[string]string, patterns ...string) {
	t.Helper()
	c, err := ruletest.Load(Analyzer, analysistest.TestData(), flags, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	ruletest.Check(t, c, rules)
}
