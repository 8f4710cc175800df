package stalevalue_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/rule/ruletest"
	"github.com/atomvet/atomvet/passes/stalevalue"
)

var (
	ablate = flag.String("ablate", "", "print what each rule changes in the packages that the arguments name in this `directory`")
	only   = flag.String("only", "", "the `IDs` of the rules to look at, separated by commas")
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

// TestAblate prints what changes without each rule.
//
//	go test ./passes/stalevalue -run TestAblate -v -ablate=testdata ./src/...
//	go test ./passes/stalevalue -run TestAblate -v -ablate=/src/nats-server ./...
func TestAblate(t *testing.T) {
	if *ablate == "" {
		t.Skip("for people")
	}
	allReports(t)
	cfg := &packages.Config{Dir: *ablate}
	if *ablate == "testdata" {
		cfg = ruletest.GOPATH(analysistest.TestData())
	}
	c, err := ruletest.Load(stalevalue.Analyzer, cfg, flag.Args()...)
	if err != nil {
		t.Fatal(err)
	}
	rules := stalevalue.Rules()
	if *only != "" {
		ids := strings.Split(*only, ",")
		rules = slices.DeleteFunc(rules, func(r rule.Info) bool { return !slices.Contains(ids, r.ID) })
	}
	if err := ruletest.Table(os.Stdout, c, rules); err != nil {
		t.Fatal(err)
	}
}
