package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// claimedSince: the rival is another run of the function, and between the read and the act each run makes a
// claim for good: the read is only a way out that takes no lock.
//
//	if s.closed.Load() { return }
//	s.mu.Lock()
//	if s.closing { s.mu.Unlock(); return }
//	s.closing = true // never cleared
//	s.mu.Unlock()
//	s.closed.Store(true)
func (r rival) claimedSince() bool {
	c := r.candidate
	return r.writer.Fn == r.d.f.ID && slices.ContainsFunc(r.d.f.Events, func(set *summary.Event) bool {
		info := r.d.pkg.Location(set.Loc)
		return set.Writes() && set.Const != "" && !info.Constant() && info.Latch == set.Const && set.Loc != c.act.Loc && c.isClaimed(set)
	})
}

// isClaimed reports whether each way from the read to the act makes a claim, by a test in the section in
// which it is set, which also decides about the act.
func (c *candidate) isClaimed(set *summary.Event) bool {
	return c.d.f.Order().MustPass(c.read.Instr, set.Instr, c.act.Instr) && slices.ContainsFunc(set.Control, func(i int) bool {
		test := c.d.f.Events[i]
		return slices.Contains(c.act.Control, i) && test.Reads() && test.Loc == set.Loc && accesspath.Same(test.Base, set.Base) && (c.d.oneSection(test, set) || summary.SharePassage(test, set))
	})
}
