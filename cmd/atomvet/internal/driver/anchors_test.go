package driver

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// TestTakeAnchors: a further finding has the anchors that follow its message, and the finding has the
// others. Text that cannot be read stays.
func TestTakeAnchors(t *testing.T) {
	at := func(line int, message string) report.Related {
		return report.Related{Position: report.Position{File: "a.go", Line: line, Column: 2}, Message: message}
	}
	rest, own := takeAnchors([]report.Related{
		at(3, "s.n is read here"),
		at(4, "also stale-use: s.m"),
		at(5, "also lost-update: s.n"),
		at(5, `anchors: {"unit":"second"}`),
		at(6, "also lost-update: s.k"),
		at(7, "anchors: none"),
		at(2, `anchors: {"unit":"own"}`),
	})
	var got []string
	for _, r := range rest {
		unit := ""
		if r.Anchors != nil {
			unit = r.Anchors.Unit
		}
		got = append(got, fmt.Sprint(r.Line, " ", r.Message, " ", unit))
	}
	want := []string{"3 s.n is read here ", "4 also stale-use: s.m ", "5 also lost-update: s.n second", "6 also lost-update: s.k ", "7 anchors: none "}
	if !slices.Equal(got, want) {
		t.Errorf("related positions %q, want %q", got, want)
	}
	if own == nil || own.Unit != "own" {
		t.Errorf("anchors %+v", own)
	}
}
