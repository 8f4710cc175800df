// Package known checks the known errors of a detector against markers in its test data,
// so that the errors are documented and a change is noticed.
//
// The cases are in packages of their own below testdata/src, and each line with a report,
// present or missing, ends with a marker:
//
//	// want `regexp`           a report that is right
//	// MISSED: category: why   no report, but there should be one
//	// FALSE: text: why        a report with this text, which should not be
//
// The text of the last one ends at the last colon followed by a space. A line with a want
// or FALSE marker may have several reports; all other lines must have no report.
//
// When a check fails because a detector does better, turn the marker into a "want"
// comment, or remove it, and move the case to one of the packages that are checked by
// such comments alone.
package known

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// Check compares the reports in the results with the markers in the packages of the
// results. Its argument is results, rather than an analyzer to run, so that the caller
// decides on flags and on further checks of a run.
func Check(t *testing.T, results []*analysistest.Result) {
	t.Helper()
	got, pkgs := collect(t, results)
	for _, pkg := range pkgs {
		for _, l := range source(t, pkg) {
			for _, problem := range compare(l.text, got[l.place]) {
				t.Errorf("%s: %s", l.place, problem)
			}
			delete(got, l.place)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(got)) {
		t.Errorf("%s: reports outside of the source: %q", at, got[at])
	}
}

// collect returns the messages by place, and the paths of the packages. A package with
// tests is analyzed twice, with the same reports: one of them counts.
func collect(t *testing.T, results []*analysistest.Result) (got map[string][]string, pkgs []string) {
	t.Helper()
	if len(results) == 0 {
		t.Fatal("no package was analyzed")
	}
	got = make(map[string][]string)
	for _, r := range results {
		if r.Pass == nil {
			t.Fatalf("%s did not run", r.Action)
		}
		pkg := r.Pass.Pkg.Path()
		pkgs = append(pkgs, pkg)
		for _, d := range r.Diagnostics {
			p := r.Pass.Fset.Position(d.Pos)
			at := place(pkg, p.Filename, p.Line)
			if !slices.Contains(got[at], d.Message) {
				got[at] = append(got[at], d.Message)
			}
		}
	}
	slices.Sort(pkgs)
	return got, slices.Compact(pkgs)
}

// A line is a line of the source of a package.
type line struct{ place, text string }

// source returns the lines of a package.
func source(t *testing.T, pkg string) (lines []line) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(analysistest.TestData(), "src", pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range strings.Split(string(data), "\n") {
			lines = append(lines, line{place(pkg, name, i+1), text})
		}
	}
	return lines
}

// place names a line of a file in a package.
func place(pkg, file string, n int) string {
	return fmt.Sprintf("%s:%d", path.Join(pkg, filepath.Base(file)), n)
}

var marker = regexp.MustCompile("// (MISSED: |FALSE: |want `)(.*)")

// compare returns the differences between the messages at a line and its markers.
func compare(text string, messages []string) []string {
	m := marker.FindStringSubmatch(text)
	if m == nil {
		return each("unexpected report", messages)
	}
	switch kind, rest := m[1], m[2]; kind {
	case "MISSED: ":
		return each("no longer missed", messages)
	case "FALSE: ":
		end := strings.LastIndex(rest, ": ")
		if end < 0 {
			return []string{"FALSE without a reason"}
		}
		says := func(message string) bool { return strings.Contains(message, rest[:end]) }
		if !slices.ContainsFunc(messages, says) {
			return []string{"no longer reported: " + rest}
		}
	default:
		want := regexp.MustCompile(strings.TrimSuffix(rest, "`"))
		if !slices.ContainsFunc(messages, want.MatchString) {
			return []string{"no report matching " + want.String()}
		}
	}
	return nil
}

// each returns a problem for each of the messages.
func each(problem string, messages []string) (out []string) {
	for _, m := range messages {
		out = append(out, problem+": "+m)
	}
	return out
}
