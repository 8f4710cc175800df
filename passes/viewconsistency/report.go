package viewconsistency

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

// report makes one finding of the splits of each pair of sections.
func (d *detector) report(found []split) []finding.Finding {
	slices.SortStableFunc(found, func(a, b split) int {
		return cmp.Or(
			cmp.Compare(a.second.Ord, b.second.Ord),
			cmp.Compare(b.first.Ord, a.first.Ord),
		)
	})
	var out []finding.Finding
	var done [][2]*section
	for _, s := range found {
		if slices.ContainsFunc(done, func(p [2]*section) bool { return p[1] == s.b || p[0] == s.a }) {
			continue
		}
		done = append(done, [2]*section{s.a, s.b})
		out = append(out, d.finding(s))
	}
	return out
}

func (d *detector) finding(s split) finding.Finding {
	verb, together := "read", "writes"
	if s.category == splitWrite {
		verb, together = "written", "reads"
	}
	line := d.pass.Fset.Position(s.first.Pos.Pos).Line
	message := fmt.Sprintf("%s is %s here and %s at line %d in separate critical sections, but %s (%s) %s both in one and may come in between [%s %d]",
		d.f.NameOf(s.second), verb, d.f.NameOf(s.first), line, s.view.Func, s.view.Pos.Text, together, s.join.word, joinLine(d, s))
	return finding.Finding{Pos: s.second.Pos.Pos, Category: s.category, Message: message}
}

func joinLine(d *detector, s split) int {
	if s.join.at == nil {
		return 0
	}
	return d.pass.Fset.Position(s.join.at.Pos()).Line
}
