package finding_test

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/anchor"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

// TestFold: of the findings of a group the least doubted is reported, then that with the least
// rank, then the first; the others are related positions. One that is silenced, or below the
// level, is neither.
func TestFold(t *testing.T) {
	slight := finding.Doubts{{Text: "a"}}
	strong := finding.Doubts{{Text: "b", Strong: true}}
	for _, test := range []struct {
		name    string
		src     string
		groups  [3]string
		ranks   [3]int
		doubts  [3]finding.Doubts
		lines   []int // of the reports
		further []int // related positions of each
	}{
		{"apart", "act()\nact()\nact()\n", [3]string{}, [3]int{}, [3]finding.Doubts{}, []int{4, 5, 6}, []int{0, 0, 0}},
		{"the first", "act()\nact()\nact()\n", [3]string{"g", "g", "g"}, [3]int{}, [3]finding.Doubts{}, []int{4}, []int{2}},
		{"two groups", "act()\nact()\nact()\n", [3]string{"g", "h", "g"}, [3]int{}, [3]finding.Doubts{}, []int{4, 5}, []int{1, 0}},
		{"rank", "act()\nact()\nact()\n", [3]string{"g", "g", "g"}, [3]int{2, 2, 1}, [3]finding.Doubts{}, []int{6}, []int{2}},
		{"doubts before rank", "act()\nact()\nact()\n", [3]string{"g", "g", "g"}, [3]int{1, 2, 0}, [3]finding.Doubts{slight, nil, slight}, []int{5}, []int{2}},
		{"below the level", "act()\nact()\nact()\n", [3]string{"g", "g", "g"}, [3]int{}, [3]finding.Doubts{strong, nil, strong}, []int{5}, []int{0}},
		{"silenced", "act() //lint:ignore stalevalue reason\n\nact()\nact()\n", [3]string{"g", "g", "g"}, [3]int{}, [3]finding.Doubts{}, []int{6}, []int{1}},
	} {
		pass, got := newPass(t, "package p\n\nfunc _() {\n"+test.src+"}\n")
		findings := calls(pass)
		for i := range findings {
			findings[i].Group, findings[i].Rank, findings[i].Doubts = test.groups[i], test.ranks[i], test.doubts[i]
		}
		finding.Report(pass, finding.High, findings)
		var lines, further []int
		for _, d := range *got {
			lines = append(lines, pass.Fset.Position(d.Pos).Line)
			further = append(further, len(d.Related))
			for _, r := range d.Related {
				if r.Message != "also lost-update: act" {
					t.Errorf("%s: related position %q", test.name, r.Message)
				}
			}
		}
		if !slices.Equal(lines, test.lines) || !slices.Equal(further, test.further) {
			t.Errorf("%s: reports in lines %v with %v further places, want %v with %v", test.name, lines, further, test.lines, test.further)
		}
	}
}

// TestFoldFixes: the fixes of a group become one, but for those that overlap with others.
func TestFoldFixes(t *testing.T) {
	edit := func(from, to int) analysis.TextEdit {
		return analysis.TextEdit{Pos: token.Pos(from), End: token.Pos(to)}
	}
	one := func(message string, edits ...analysis.TextEdit) []analysis.SuggestedFix {
		return []analysis.SuggestedFix{{Message: message, TextEdits: edits}}
	}
	for _, test := range []struct {
		name   string
		fixes  [3][]analysis.SuggestedFix
		want   string
		places []int
	}{
		{"of the first", [3][]analysis.SuggestedFix{one("a", edit(1, 2)), nil, nil}, "a", []int{1}},
		{"of another", [3][]analysis.SuggestedFix{nil, nil, one("c", edit(5, 6))}, "c", []int{5}},
		{"of all", [3][]analysis.SuggestedFix{one("a", edit(1, 2), edit(9, 10)), one("b", edit(4, 5)), one("a", edit(12, 13))}, "a, and: b", []int{1, 9, 4, 12}},
		{"of the same kind", [3][]analysis.SuggestedFix{one("a", edit(1, 2)), one("a", edit(4, 5)), nil}, "a", []int{1, 4}},
		{"overlapping", [3][]analysis.SuggestedFix{one("a", edit(1, 4)), one("b", edit(6, 7), edit(3, 5)), one("c", edit(8, 9))}, "a, and: c", []int{1, 8}},
		{"inserted at one place", [3][]analysis.SuggestedFix{one("a", edit(3, 3)), one("b", edit(3, 3)), nil}, "a", []int{3}},
	} {
		pass, got := newPass(t, "package p\n\nfunc _() {\nact()\nact()\nact()\n}\n")
		findings := calls(pass)
		for i := range findings {
			findings[i].Group, findings[i].Fixes = "g", test.fixes[i]
		}
		finding.Report(pass, finding.High, findings)
		if len(*got) != 1 || len((*got)[0].SuggestedFixes) != 1 {
			t.Errorf("%s: reports %+v", test.name, *got)
			continue
		}
		f := (*got)[0].SuggestedFixes[0]
		var places []int
		for _, e := range f.TextEdits {
			places = append(places, int(e.Pos))
		}
		if f.Message != test.want || !slices.Equal(places, test.places) {
			t.Errorf("%s: %s at %v, want %s at %v", test.name, f.Message, places, test.want, test.places)
		}
	}
}

// TestFoldAnchors: the anchors of each finding follow its message.
func TestFoldAnchors(t *testing.T) {
	pass, got := newPass(t, "package p\n\nfunc _() {\nact()\nact()\nact()\n}\n")
	findings := calls(pass)
	for i := range findings {
		findings[i].Group = "g"
		if i != 1 {
			findings[i].Anchors = &anchor.Anchors{Unit: fmt.Sprint("unit ", i)}
		}
	}
	finding.Report(pass, finding.High, findings)
	var said []string
	for _, r := range (*got)[0].Related {
		said = append(said, fmt.Sprintf("%d %.22s", pass.Fset.Position(r.Pos).Line, strings.TrimPrefix(r.Message, anchor.Prefix)))
	}
	want := []string{"5 also lost-update: act", "6 also lost-update: act", `6 {"unit":"unit 2","objec`, `4 {"unit":"unit 0","objec`}
	for i := range want {
		want[i] = fmt.Sprintf("%.24s", want[i])
	}
	if !slices.Equal(said, want) {
		t.Errorf("related positions %q, want %q", said, want)
	}
}
