// Package ruletest measures the effect of each rule of a detector.
//
// A [Corpus] is loaded and summarized once. The detector alone then runs over it again
// for each rule, with that rule left out, at the cost of an evaluation of its other
// rules.
package ruletest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/passes/internal/rule"
)

// A Corpus is a list of packages with the results that an analyzer requires.
type Corpus struct {
	analyzer *analysis.Analyzer
	root     string
	passes   []*analysis.Pass
	base     []Report // with all rules
}

// GOPATH returns the configuration to load packages below the directory src of
// testdata, as analysistest does.
func GOPATH(testdata string) *packages.Config {
	return &packages.Config{
		Dir: testdata,
		Env: append(os.Environ(), "GOPATH="+testdata, "GO111MODULE=off", "GOPROXY=off", "GOWORK=off"),
	}
}

// Load loads packages, those with tests together with their tests, and runs over them the
// analyzers that a requires. Packages that do not compile are left out.
func Load(a *analysis.Analyzer, cfg *packages.Config, patterns ...string) (*Corpus, error) {
	cfg.Mode, cfg.Tests = packages.LoadAllSyntax|packages.NeedForTest|packages.NeedModule, true
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, err
	}
	tested := make(map[string]bool)
	for _, p := range pkgs {
		if p.ForTest == p.PkgPath {
			tested[p.PkgPath] = true
		}
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return len(p.Errors) > 0 || p.ForTest == "" && tested[p.PkgPath] || strings.HasSuffix(p.ID, ".test")
	})
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("no packages in %s: %v", cfg.Dir, patterns)
	}
	graph, err := checker.Analyze(a.Requires, pkgs, nil)
	if err != nil {
		return nil, err
	}
	c := &Corpus{analyzer: a, root: cfg.Dir}
	results := make(map[*packages.Package]map[*analysis.Analyzer]any)
	failed := make(map[*packages.Package]bool)
	for _, act := range graph.Roots {
		failed[act.Package] = failed[act.Package] || act.Err != nil
		if results[act.Package] == nil {
			results[act.Package] = make(map[*analysis.Analyzer]any)
		}
		results[act.Package][act.Analyzer] = act.Result
	}
	for _, p := range pkgs {
		if failed[p] {
			continue
		}
		c.passes = append(c.passes, &analysis.Pass{
			Analyzer: a, Fset: p.Fset, Files: p.Syntax, Pkg: p.Types, TypesInfo: p.TypesInfo, TypesSizes: p.TypesSizes,
			ResultOf: results[p], ReadFile: os.ReadFile,
		})
	}
	return c, nil
}

// A Report is a diagnostic with its related positions, as text, and the enclosing
// function, as package.Function or package.Type.Method.
type Report struct{ Text, Function string }

// Reports runs the analyzer, and returns its reports.
func (c *Corpus) Reports() ([]Report, error) {
	seen := make(map[Report]bool)
	for _, pass := range c.passes {
		place := func(pos token.Pos) string {
			p := pass.Fset.Position(pos)
			if rel, err := filepath.Rel(c.root, p.Filename); err == nil {
				p.Filename = filepath.ToSlash(rel)
			}
			return p.String()
		}
		again := *pass
		again.Report = func(d analysis.Diagnostic) {
			text := place(d.Pos) + ": " + d.Message
			for _, r := range d.Related {
				text += "\n\t" + place(r.Pos) + ": " + r.Message
			}
			seen[Report{text, pass.Pkg.Path() + "." + enclosing(pass.Files, d.Pos)}] = true
		}
		if _, err := c.analyzer.Run(&again); err != nil {
			return nil, fmt.Errorf("%s: %v", pass.Pkg.Path(), err)
		}
	}
	return slices.SortedFunc(maps.Keys(seen), compare), nil
}

func compare(a, b Report) int { return strings.Compare(a.Text, b.Text) }

// enclosing returns the name of the declared function at a position.
func enclosing(files []*ast.File, pos token.Pos) string {
	for _, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || pos < f.Pos() || pos >= f.End() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				recv := types.ExprString(f.Recv.List[0].Type)
				recv, _, _ = strings.Cut(strings.TrimPrefix(recv, "*"), "[")
				name = recv + "." + name
			}
			return name
		}
	}
	return ""
}

// A Change is a report that appears, or disappears, when a rule is left out.
type Change struct {
	Report
	Added bool // the report appears
}

// String is the first line of the change.
func (c Change) String() string {
	line, _, _ := strings.Cut(c.Text, "\n")
	if c.Added {
		return "+ " + line
	}
	return "- " + line
}

// Without returns the changes when a rule is left out.
func (c *Corpus) Without(id string) ([]Change, error) {
	if c.base == nil {
		var err error
		if c.base, err = c.Reports(); err != nil {
			return nil, err
		}
	}
	if err := c.analyzer.Flags.Set("without", id); err != nil {
		return nil, err
	}
	defer c.analyzer.Flags.Set("without", "")
	now, err := c.Reports()
	if err != nil {
		return nil, err
	}
	var out []Change
	add := func(list, other []Report, added bool) {
		for _, r := range list {
			if _, ok := slices.BinarySearchFunc(other, r, compare); !ok {
				out = append(out, Change{r, added})
			}
		}
	}
	add(c.base, now, false)
	add(now, c.base, true)
	return out, nil
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
			if !slices.ContainsFunc(changes, func(ch Change) bool { return ch.Function == want }) {
				t.Errorf("rule %s: no report in %s changes without it", r.ID, want)
			}
		}
		if i := slices.IndexFunc(changes, func(ch Change) bool { return strings.Contains(ch.Text, "internal error") }); i >= 0 {
			t.Errorf("rule %s: %s", r.ID, changes[i].Text)
		}
	}
}

// Table prints the changes for each of the rules.
func Table(w io.Writer, c *Corpus, rules []rule.Info) error {
	for _, r := range rules {
		changes, err := c.Without(r.ID)
		if err != nil {
			return err
		}
		more, less := 0, 0
		for _, ch := range changes {
			if ch.Added {
				more++
			} else {
				less++
			}
		}
		fmt.Fprintf(w, "%s\t%s\t-%d +%d\n", r.ID, r.Kind, less, more)
		for _, ch := range changes {
			fmt.Fprintf(w, "\t%s\t%s\n", ch.Function, ch)
		}
	}
	return nil
}
