package main

import (
	"path/filepath"
	"reflect"
	"testing"
)

// in returns a report at a line of the function f of a.go.
func in(line int, location, text string) report {
	return report{identity: identity{File: "a.go", Func: "f", Category: "c", Location: location, Text: text}, Line: line}
}

func TestMatch(t *testing.T) {
	byLine := func(line int) report { return report{identity: identity{File: "a.go", Category: "c"}, Line: line} }
	elsewhere := in(1, "s.x", "s.x = 1")
	elsewhere.Func = "g"
	weak := in(5, "s.w", "s.w = 1")
	weak.message = "c: s.w is bad [medium confidence: it is]"
	for _, test := range []struct {
		name            string
		labels, reports []report
		want            []int // the label of each report
		moved           int
	}{
		{"the same", []report{in(1, "s.x", "s.x = 1")}, []report{in(1, "s.x", "s.x = 1")}, []int{0}, 0},
		{"code above", []report{in(1, "s.x", "s.x = 1")}, []report{in(9, "s.x", "s.x = 1")}, []int{0}, 0},
		{"another line of the function", []report{in(1, "s.x", "s.x = 1")}, []report{in(9, "s.x", "s.set(1)")}, []int{0}, 1},
		{"another name of the location", []report{in(1, "s.x", "s.x = 1")}, []report{in(9, "s", "s.x = 1")}, []int{0}, 0},
		{"another location and line", []report{in(1, "s.x", "s.x = 1")}, []report{in(9, "s.y", "s.y = 1")}, []int{none}, 0},
		{"another function", []report{in(1, "s.x", "s.x = 1")}, []report{elsewhere}, []int{none}, 0},
		{"two locations on one line", []report{in(1, "s.y", "s.set()"), in(1, "s.x", "s.set()")}, []report{in(7, "s.x", "s.set()"), in(7, "s.y", "s.set()")}, []int{1, 0}, 0},
		{"text before location", []report{in(1, "s.x", "s.x = 1"), in(2, "s.x", "s.x = 2")}, []report{in(7, "s.x", "s.x = 2"), in(8, "s.x", "s.x = 1")}, []int{1, 0}, 0},
		{"one and the same text, in order", []report{in(1, "s.x", "s.x++"), in(5, "s.x", "s.x++")}, []report{in(3, "s.x", "s.x++"), in(7, "s.x", "s.x++")}, []int{0, 1}, 0},
		{"one and the same text, one is where it was", []report{in(1, "s.x", "s.x++"), in(5, "s.x", "s.x++")}, []report{in(5, "s.x", "s.x++")}, []int{1}, 0},
		{"more reports than labels", []report{in(1, "s.x", "s.x++")}, []report{in(1, "s.x", "s.x++"), in(1, "s.x", "s.x++"), in(2, "s.x", "s.x++")}, []int{0, 0, none}, 0},
		{"a label without location", []report{in(1, "", "s.x++")}, []report{in(4, "s.x", "s.x++")}, []int{0}, 0},
		{"a label without function", []report{byLine(4)}, []report{in(3, "s.x", "s.x++"), in(4, "s.x", "s.x++")}, []int{none, 0}, 0},
		{"a label without function, and two reports", []report{byLine(5)}, []report{weak, in(5, "s.x", "s.x++")}, []int{none, 0}, 0},
		{"no functions at all", []report{byLine(4), byLine(4)}, []report{byLine(4), byLine(4), byLine(4), byLine(5)}, []int{0, 1, 1, none}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := match(test.labels, test.reports)
			if !reflect.DeepEqual(m.labelOf, test.want) {
				t.Errorf("labels %d, want %d", m.labelOf, test.want)
			}
			moved := 0
			for i := range test.labels {
				if m.moved(i) {
					moved++
				}
			}
			if moved != test.moved {
				t.Errorf("%d moved, want %d", moved, test.moved)
			}
		})
	}
}

// TestFolded has one report with a note where there were two.
func TestFolded(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.go"), "package a\nfunc f() {\n\ts.x = 1\n\ts.x = 2\n\ts.x = 3\n}\nfunc g() {\n\ts.x = 2\n}\n")
	src := newSources(dir)
	labels := []report{in(3, "s.x", "s.x = 1"), in(4, "s.x", "s.x = 2")}
	for _, test := range []struct {
		name     string
		location string
		note     spot
		want     int
	}{
		{"a place", "s.x", spot{"a.go", 4, ""}, 0},
		{"another place", "s.x", spot{"a.go", 5, ""}, none},
		{"another function", "s.x", spot{"a.go", 8, ""}, none},
		{"another file", "s.x", spot{"b.go", 4, ""}, none},
		{"another location", "s.y", spot{"a.go", 4, ""}, none},
		{"a finding about another location", "s.y", spot{"a.go", 4, in(4, "s.x", "").Category}, 0},
		{"a finding of another category", "s.y", spot{"a.go", 4, "other"}, none},
	} {
		r := in(3, test.location, "s.x = 1")
		r.notes = []spot{test.note}
		m := match(labels, []report{r})
		if got := m.folded(1, src); got != test.want {
			t.Errorf("%s: folded into %d, want %d", test.name, got, test.want)
		}
		if got := m.folded(0, src); got != none {
			t.Errorf("%s: a label with a report is folded into %d", test.name, got)
		}
	}

	same := match([]report{in(3, "s.x", "s.x = 1"), in(3, "s.x", "s.x = 1")}, []report{in(3, "s.x", "s.x = 1")})
	if got := same.folded(1, src); got != 0 {
		t.Errorf("of two labels at one place, the second is folded into %d", got)
	}
}
