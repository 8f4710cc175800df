package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

// doubts lists what speaks against a stale value: not that it is none, but that it
// does harm.
func (d *detector) doubts(s *stale) finding.Doubts {
	var out finding.Doubts
	out.Strong(d.pkg.InTest(d.f), finding.Sequential)
	out.Slight(d.decidesItself(s), "the act is also decided by what it finds then")
	out.Strong(s.act.Deep() || s.read.Deep(), finding.Deep)
	out.Slight(s.read.Loc != s.act.Loc, "it is another variable that is written")
	out.Strong(s.read.OnlyErrors(), "what was read is only an error")
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
