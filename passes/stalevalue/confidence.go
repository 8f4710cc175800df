package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

// doubts lists what speaks against a stale value: not that it is none, but that it
// does harm.
func (d *detector) doubts(s *stale) finding.Doubts {
	var out finding.Doubts
	out.Strong(d.pkg.InTest(d.f), finding.Sequential)
	out.Slight(d.decidesItself(s), "the act is also decided by what it finds then")
	// A value shows its way through the callees; a decision may be taken again there.
	deep := s.category != lostUpdate && s.read.Depth() > 0 && s.act.Depth() > 1 && !putsBack(s)
	out.Strong(deep || s.act.Deep() || s.read.Deep(), finding.Deep)
	out.Strong(s.category != lostUpdate && d.isStep(s), "the atomic variable is changed in a callee, which is a step of its own")
	out.Slight(s.read.Loc != s.act.Loc, "it is another variable that is written")
	out.Strong(farAway(s), "what is written belongs to another object, far from the first")
	out.Strong(d.unrelated(s), "the two are only used together here")
	out.Slight(s.act.Const != "" && s.act.Const == s.info.Latch, "it only becomes what others make it")
	out.Strong(s.read.OnlyErrors() || d.onlyFails(s), "what was read is only an error")
	return out
}

// putsBack reports whether the act is on the element that was looked up, in a callee that
// decides nothing.
func putsBack(s *stale) bool {
	if s.read.Key == "" || !sameCell(s.read, s.act) {
		return false
	}
	a := &s.act.Callee.Accesses[s.act.Index]
	return len(a.Control) == 0 && a.ControlParams == 0
}

// unrelated reports whether all that ties the act to what was read is that the
// passage of the act has to do with both: nobody writes them together, and the check
// is not made for the act.
func (d *detector) unrelated(s *stale) bool {
	r, w := s.read, s.act
	return r.Loc != w.Loc && s.check && !s.skew && w.Hold(s.guard.Path) != nil && !s.info.IsJoint(w.Loc) &&
		d.handles(w, r) && !d.pkg.LeadsTo(d.f, r, w.Instr.Block())
}

// far is the number of selectors from one object to another that is not near.
const far = 3

// farAway reports whether the act is on an object that is reached from that of the read
// by way of several others.
func farAway(s *stale) bool {
	if s.read.Loc == s.act.Loc {
		return false
	}
	way := s.act.Base
	if way.Within(s.read.Base) {
		way = "x" + way[len(s.read.Base):]
	}
	n := 0
	for way = way.Parent(); way != accesspath.Unknown; way = way.Parent() {
		n++
	}
	return n >= far
}

// isStep reports whether what a callee does is one atomic operation, for which it
// takes no lock. A lock tells what is meant to be one step; here nothing does.
func (d *detector) isStep(s *stale) bool {
	return s.act.Callee != nil && slices.ContainsFunc(s.act.Holds, summary.Hold.IsAtomic) &&
		!slices.ContainsFunc(s.act.Holds, func(h summary.Hold) bool { return h.Inner && !h.IsAtomic() })
}

// onlyFails reports whether the decision to act depends on what was read only in so
// far as a call that was given it may fail.
func (d *detector) onlyFails(s *stale) bool {
	if s.data || s.skew || s.read.Callee != nil {
		return false
	}
	decided := false
	for _, c := range d.pkg.Conditions(s.act) {
		if !d.pkg.Slice(d.f, c).HasAny(s.read.Values) {
			continue
		}
		decided = true
		if !d.pkg.IsFailure(d.f, c, s.read.Values) {
			return false
		}
	}
	return decided
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
