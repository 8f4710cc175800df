// Package ruletest tests that each rule of a detector has its effect on its cases. The
// command ablate measures the effects on all corpora.
package ruletest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/corpus"
	"github.com/atomvet/atomvet/passes/internal/rule"
)

// A Corpus is test data of a detector, with its reports when all rules are in force.
type Corpus struct {
	code   *corpus.Corpus
	config corpus.Config
	base   []corpus.Report
}

// Load loads the packages below testdata/src that match patterns, and runs the detector over
// them with the given flags.
func Load(a *analysis.Analyzer, testdata string, flags map[string]string, patterns ...string) (*Corpus, error) {
	loader, err := corpus.NewLoader(a)
	if err != nil {
		return nil, err
	}
	src, err := corpus.Unit(a.Name, testdata)
	if err != nil {
		return nil, err
	}
	src.Patterns = patterns
	c := &Corpus{config: corpus.Config{Detectors: []*analysis.Analyzer{a}}}
	for name, value := range flags {
		c.config = c.config.With(a.Name+"."+name, value)
	}
	if c.code, err = loader.Load(src); err != nil {
		return nil, err
	}
	c.base, err = c.code.Run(c.config)
	return c, err
}

// A Change is a report that appears, or disappears, when a rule is left out.
type Change struct {
	corpus.Report
	Added bool // the report appears
}

// String is the position and the message of the report, with a sign.
func (c Change) String() string {
	sign := "-"
	if c.Added {
		sign = "+"
	}
	return fmt.Sprintf("%s %s:%d: %s", sign, c.File, c.Line, c.Message)
}

// Case names the function of the report as the cases of rules do: package.Function or
// package.Type.Method.
func (c Change) Case() string {
	return c.Package + "." + strings.NewReplacer("(", "", "*", "", ")", "").Replace(c.Function)
}

// Without returns the changes when a rule is left out.
func (c *Corpus) Without(id string) ([]Change, error) {
	now, err := c.code.Run(c.config.With(c.config.Detectors[0].Name+".without", id))
	if err != nil {
		return nil, err
	}
	var out []Change
	add := func(list, other []corpus.Report, added bool) {
		known := make(map[corpus.Report]bool)
		for _, r := range other {
			known[r] = true
		}
		for _, r := range list {
			if !known[r] {
				out = append(out, Change{r, added})
			}
		}
	}
	add(c.base, now, false)
	add(now, c.base, true)
	return out, nil
}

// CheckList fails unless the rules are all that the sources of the package under test have.
func CheckList(t *testing.T, rules []rule.Info) {
	for _, id := range declared(t) {
		if !slices.ContainsFunc(rules, func(r rule.Info) bool { return r.ID == id }) {
			t.Errorf("rule %s is not on the list of the rules", id)
		}
	}
}

// Check fails unless each rule changes the reports in each of its cases.
func Check(t *testing.T, c *Corpus, rules []rule.Info) {
	seen := make(map[string]bool)
	for _, r := range rules {
		if seen[r.ID] {
			t.Errorf("two rules with the ID %s", r.ID)
		}
		seen[r.ID] = true
		if (r.Doubt != "") != (r.Kind >= rule.Doubts) {
			t.Errorf("rule %s %s, with doubt %q", r.ID, r.Kind, r.Doubt)
		}
		if r.Mechanism == "" || len(r.Cases) == 0 {
			t.Errorf("rule %s: mechanism %q, cases %q", r.ID, r.Mechanism, r.Cases)
		}
		changes, err := c.Without(r.ID)
		if err != nil {
			t.Fatalf("without %s: %v", r.ID, err)
		}
		for _, want := range r.Cases {
			if !slices.ContainsFunc(changes, func(ch Change) bool { return ch.Case() == want }) {
				t.Errorf("rule %s: no report in %s changes without it, only %v", r.ID, want, changes)
			}
		}
	}
}

var ruleID = regexp.MustCompile(`\bID:\s+"([^"]+)", Kind: rule\.`)

// declared returns the identifiers of the rules in the source files of the working directory, which is that of the package
// under test.
func declared(t *testing.T) []string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ruleID.FindAllStringSubmatch(string(text), -1) {
			out = append(out, m[1])
		}
	}
	return out
}
