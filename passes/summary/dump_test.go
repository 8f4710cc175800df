package summary_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/summary"
)

// TestDump asserts the summaries of the functions in testdata, and of the
// locations in package guards. The summary of every function is a diagnostic at
// its declaration: see the comment of Package.Dump.
//
// A comment "known: reason" before a line is for what is wrong there for a
// reason that is known and not yet done away with.
func TestDump(t *testing.T) {
	setFlag(t, "dump")
	check(t, "wrapper", "split", "own", "perkey", "conds", "chans", "once", "closures", "recursion", "ifaces", "store", "client", "regions")
}

func TestLocations(t *testing.T) {
	setFlag(t, "dump")
	setFlag(t, "locations")
	check(t, "guards")
}

func TestContexts(t *testing.T) {
	setFlag(t, "dump")
	setFlag(t, "contexts")
	check(t, "contexts")
}

// setFlag sets a flag of the analyzer for the duration of the test.
func setFlag(t *testing.T, name string) {
	t.Helper()
	f := summary.Analyzer.Flags.Lookup(name)
	if err := f.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Value.Set(f.DefValue) })
}

// recorder records the errors of a test.
type recorder []string

func (r *recorder) Errorf(format string, args ...any) {
	*r = append(*r, fmt.Sprintf(format, args...))
}

// check analyzes packages of testdata together, which is faster, and reports
// the errors of each in a test of its own.
func check(t *testing.T, pkgs ...string) {
	var errs recorder
	analysistest.Run(&errs, analysistest.TestData(), summary.Analyzer, pkgs...)
	for _, pkg := range pkgs {
		t.Run(pkg, func(t *testing.T) {
			skipped := make(map[string]bool)
			for _, e := range errs {
				place := regexp.MustCompile(`^` + pkg + `/\w+\.go:\d+`).FindString(e)
				if place == "" {
					continue
				}
				reason := known(t, place)
				if reason == "" {
					t.Error(e)
					continue
				}
				if !skipped[place] {
					skipped[place] = true
					t.Run(filepath.Base(place), func(t *testing.T) { t.Skip("known: " + reason) })
				}
			}
		})
	}
	for _, e := range errs {
		if !regexp.MustCompile(`^(` + strings.Join(pkgs, "|") + `)/\w+\.go:\d+`).MatchString(e) {
			t.Error(e)
		}
	}
}

// known returns the reason in a comment before a line file:line, "" if there is
// none.
func known(t *testing.T, place string) string {
	t.Helper()
	file, number, _ := strings.Cut(place, ":")
	src, err := os.ReadFile(filepath.Join("testdata", "src", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(src), "\n")
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	for n -= 2; n >= 0 && strings.HasPrefix(strings.TrimSpace(lines[n]), "//"); n-- {
		if _, reason, ok := strings.Cut(lines[n], "// known: "); ok {
			return reason
		}
	}
	return ""
}
