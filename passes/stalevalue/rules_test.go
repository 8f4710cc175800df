package stalevalue_test

import (
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/internal/rule/ruletest"
	"github.com/atomvet/atomvet/passes/stalevalue"
)

// testdata is the packages below testdata/src, with all reports asked for.
var testdata = sync.OnceValues(func() (*ruletest.Corpus, error) {
	return ruletest.Load(stalevalue.Analyzer, ruletest.GOPATH(analysistest.TestData()), "./src/...")
})

// allReports asks for all reports for the time of a test.
func allReports(t *testing.T) {
	for name, value := range map[string]string{"confidence": "low", "strict": "true"} {
		f := stalevalue.Analyzer.Flags.Lookup(name)
		old := f.Value.String()
		if err := f.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Value.Set(old) })
	}
}

// TestRules: each rule has a case whose reports change without it.
func TestRules(t *testing.T) {
	allReports(t)
	c, err := testdata()
	if err != nil {
		t.Fatal(err)
	}
	ruletest.Check(t, c, stalevalue.Rules())
}
