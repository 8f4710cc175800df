package atomicset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"

	"github.com/atomvet/atomvet/passes/atomicset"
	"github.com/atomvet/atomvet/passes/internal/known"
)

// Every package below testdata/src is in one of these lists.
var (
	// Wrong code beside correct code, in libraries and in a program.
	mixed = []string{
		"units",    // what is a unit of work
		"locks",    // the ways to lock
		"calls",    // interfaces, generic types, functions, recursion
		"waits",    // conditions, loops that try again, atomic operations
		"bounded",  // locks that are not nested
		"routines", // goroutines that a library starts
		"joins",    // goroutines that a program starts, and waits for
		"objects",  // several objects, and objects that consist of others
		"accesses", // reading and writing, in all ways
		"forms",    // directives in all forms
		"derived",  // the sets of another package
		"owned",    // the same, behind a lock of its own
	}
	// Packages without reports.
	silent = []string{"base"}
	// Directives that are wrong.
	misused = []string{"directives"}
	// Packages for -infer.
	flagged = []string{"inferred"}
	// What the analyzer is known to get wrong.
	other = []string{"known", "knownmain"}
)

// TestInferred has sets that nobody has declared.
func TestInferred(t *testing.T) {
	set(t, "infer")
	run(t, flagged...)
}

// TestReports checks all reports by the "want" comments in the packages.
func TestReports(t *testing.T) {
	results := run(t, slices.Concat(mixed, silent, misused)...)
	for _, r := range results {
		path, n := r.Pass.Pkg.Path(), len(r.Diagnostics)
		if n > 0 && slices.Contains(silent, path) {
			t.Errorf("package %s: %d reports", path, n)
		}
		if n == 0 && !slices.Contains(silent, path) {
			t.Errorf("package %s: no reports", path)
		}
		for _, d := range r.Diagnostics {
			if (d.Category == "directive") != slices.Contains(misused, path) {
				t.Errorf("package %s: category %s", path, d.Category)
			}
		}
	}
}

// run runs the analyzer over packages of testdata.
func run(t *testing.T, pkgs ...string) []*analysistest.Result {
	t.Helper()
	results := analysistest.Run(t, analysistest.TestData(), atomicset.Analyzer, pkgs...)
	healthy(t, results)
	return results
}

// set sets a flag for the time of a test.
func set(t *testing.T, name string) {
	t.Helper()
	flags := &atomicset.Analyzer.Flags
	old := flags.Lookup(name).Value.String()
	if err := flags.Set(name, "true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flags.Set(name, old); err != nil {
			t.Error(err)
		}
	})
}

// healthy checks that what the analyzer builds upon has not failed. A failure of
// the summaries is a diagnostic of theirs, which analysistest does not see.
func healthy(t *testing.T, results []*analysistest.Result) {
	t.Helper()
	seen := make(map[*checker.Action]bool)
	var visit func(act *checker.Action)
	visit = func(act *checker.Action) {
		if seen[act] {
			return
		}
		seen[act] = true
		if act.Err != nil {
			t.Errorf("%s: %v", act, act.Err)
		}
		for _, d := range act.Diagnostics {
			if act.Analyzer != atomicset.Analyzer || d.Category == "failure" {
				t.Errorf("%s: %s", act, d.Message)
			}
		}
		for _, dep := range act.Deps {
			visit(dep)
		}
	}
	for _, r := range results {
		visit(r.Action)
	}
}

// A recorder keeps what analysistest finds wrong, but for the reports that are
// not in its comments.
type recorder struct{ errors []string }

func (r *recorder) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, "diagnostic") {
		r.errors = append(r.errors, text)
	}
}

// quietly runs the analyzer over packages that do not have comments for all
// reports.
func quietly(t *testing.T, dir string, pkgs ...string) []*analysistest.Result {
	t.Helper()
	var r recorder
	results := analysistest.Run(&r, dir, atomicset.Analyzer, pkgs...)
	for _, text := range r.errors {
		t.Error(text)
	}
	healthy(t, results)
	return results
}

// only returns the diagnostics of one category, or those of scenarios.
func only(r *analysistest.Result, category string) (out []analysis.Diagnostic) {
	for _, d := range r.Diagnostics {
		if d.Category == category || category == "" && strings.Contains(d.Category, "(a)") {
			out = append(out, d)
		}
	}
	return out
}

// TestKnown holds what the analyzer is known to get wrong.
func TestKnown(t *testing.T) {
	known.Check(t, quietly(t, analysistest.TestData(), other...))
}

// TestLists looks for packages that are in no list.
func TestLists(t *testing.T) {
	inLists(t, filepath.Join(analysistest.TestData(), "src"), slices.Concat(mixed, silent, misused, flagged, other))
	inLists(t, papersDir, programNames())
}

// inLists looks for packages in a directory that are not listed.
func inLists(t *testing.T, dir string, listed []string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		if d.IsDir() && !slices.Contains(listed, d.Name()) {
			t.Errorf("no test looks at package %s", d.Name())
		}
	}
}
