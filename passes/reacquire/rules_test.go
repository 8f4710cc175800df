package reacquire

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/internal/rule/ruletest"
)

// TestRules: each rule has a case whose reports change without it.
func TestRules(t *testing.T) {
	c, err := ruletest.Load(Analyzer, analysistest.TestData(), map[string]string{"confidence": "low"}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	ruletest.Check(t, c, ruleFlags.Rules())
	ruletest.CheckList(t, ruleFlags.Rules())
}
