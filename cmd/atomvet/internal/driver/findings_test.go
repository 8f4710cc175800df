package driver

import (
	"slices"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// TestTidy: what a package and its variant with tests say of one split is one finding, though
// the rival or the confidence differs.
func TestTidy(t *testing.T) {
	at := func(line int) report.Position {
		return report.Position{File: "/w/q.go", Line: line, Column: 2}
	}
	split := func(line, check int, message string) finding {
		return finding{Analyzer: "a", Category: "c", Position: at(line), Message: message, Anchors: &report.Anchors{
			Unit: "(*quota).get", Object: report.Object{Type: "quota", Field: "n"}, Check: report.Access{Position: at(check)},
		}}
	}
	plain := func(message string) finding {
		return finding{Analyzer: "a", Category: "c", Position: at(9), Message: message}
	}
	list := tidy([]finding{
		split(5, 4, "c: n is checked (also written by f, as a callback) [medium confidence: it is deep]"),
		split(5, 4, "c: n is checked (also written by f, in a goroutine)"),
		split(5, 4, "c: n is checked (also written by f, in the goroutine of g)"),
		split(5, 3, "c: n is checked twice"),
		split(8, 4, "c: n is checked late"),
		plain("c: one"), plain("c: two"), plain("c: one"),
	}, nil)
	var got []string
	for _, f := range list {
		got = append(got, f.Message)
	}
	want := []string{
		"c: n is checked (also written by f, in a goroutine)", "c: n is checked twice", "c: n is checked late",
		"c: one", "c: two",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
