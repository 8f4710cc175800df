package stalevalue_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/internal/rule/ruletest"
	"github.com/atomvet/atomvet/passes/stalevalue"
)

// TestRules: each rule has a case whose reports change without it, and is on the list.
func TestRules(t *testing.T) {
	all := map[string]string{"confidence": "low", "strict": "true"}
	c, err := ruletest.Load(stalevalue.Analyzer, analysistest.TestData(), all, "./...")
	if err != nil {
		t.Fatal(err)
	}
	ruletest.Check(t, c, stalevalue.Rules())
	ruletest.CheckList(t, stalevalue.Rules())
}
