package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

// doubts lists what speaks against a stale value: not that it is none, but that it
// does harm.
func (d *detector) doubts(s *stale) []finding.Doubt {
	var out []finding.Doubt
	doubt := func(holds bool, text string) {
		if holds {
			out = append(out, finding.Doubt{Text: text})
		}
	}
	strong := func(holds bool, text string) {
		if holds {
			out = append(out, finding.Doubt{Text: text, Strong: true})
		}
	}
	if d.pkg.InTest(d.f) {
		out = append(out, finding.Sequential)
	}
	doubt(d.decidesItself(s), "the act is also decided by what it finds then")
	strong(s.act.Depth() > 3 || s.read.Depth() > 3, "it is deep in callees")
	doubt(s.read.Loc != s.act.Loc, "it is another variable that is written")
	strong(s.read.OnlyErrors(), "what was read is only an error")
	return out
}

// decidesItself reports whether something that is read in the passage of the act
// decides about it, too.
func (d *detector) decidesItself(s *stale) bool {
	w := s.act
	if w.Callee != nil {
		a := &w.Callee.Accesses[w.Index]
		return slices.ContainsFunc(a.Control, func(i int) bool {
			c := &w.Callee.Accesses[i]
			// Who fills a place looks whether it is empty.
			place := c.Loc == a.Loc && w.Loc != s.read.Loc && d.fills(s)
			return c.Regions&a.Regions != 0 && !place
		})
	}
	return slices.ContainsFunc(w.Control, func(i int) bool {
		e := d.f.Events[i]
		return i != s.readIndex && d.onePassage(e, w) && !summary.SharePassage(e, s.read)
	})
}
