package finding_test

import (
	"slices"
	"testing"

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
