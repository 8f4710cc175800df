package stalevalue

import (
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// claimed reports whether the passage of the read tests and sets a flag that
// others test: whoever comes second does not get to the act.
func (d *detector) claimed(s *stale) bool {
	if d.clears(s) || d.balances(s) || d.signsOff(s) {
		return true
	}
	for _, i := range s.act.Control {
		test := d.f.Events[i]
		if !test.Reads() || !(test == s.read || summary.SharePassage(test, s.read)) {
			continue
		}
		if test.Op&summary.Content != 0 {
			continue // to sort a list, or to take out of it, is no claim
		}
		if test.Writes() {
			return true
		}
		for _, set := range d.f.Events {
			if set.Writes() && set.Loc == test.Loc && accesspath.Same(set.Base, test.Base) &&
				accesspath.KeysOverlap(set.Key, test.Key) && slices.Contains(set.Control, i) &&
				(d.onePassage(test, set) || summary.SharePassage(test, set)) &&
				(set.Ord == test.Ord || d.f.Order().MustPass(test.Instr, set.Instr, s.act.Instr)) {
				return true
			}
		}
	}
	return false
}

// balances reports whether the act undoes, or adds to, a change by some amount
// that the passage of the read made to the same place: a reference given back.
func (d *detector) balances(s *stale) bool {
	if !s.act.Delta() {
		return false
	}
	for _, e := range d.f.Events {
		if e.Writes() && e.Delta() && sameCell(e, s.act) && summary.SharePassage(e, s.read) && d.f.Order().Flows(e.Instr, s.act.Instr) {
			return true
		}
	}
	return false
}

// clears reports whether the act gives a flag another value than the passage
// of the read gave it: the end of what that began.
func (d *detector) clears(s *stale) bool {
	w := s.act
	if w.Const == "" {
		return false
	}
	for _, set := range d.f.Events {
		if set.Writes() && set.Const != "" && set.Const != w.Const && sameCell(set, w) &&
			summary.SharePassage(set, s.read) && d.f.Order().Flows(set.Instr, w.Instr) {
			return true
		}
	}
	return false
}

// signsOff reports whether the act takes out of a container what the passage of
// the read has put into it: the end of what that began.
func (d *detector) signsOff(s *stale) bool {
	w := s.act
	container := w.Base
	for strings.HasSuffix(string(container), "]") { // what is in an element of it
		container = container.Parent().Parent()
	}
	removes := slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return e.Ord == w.Ord && accesspath.Same(e.Base, container) && (e.Op&summary.Delete != 0 || e.Key != "" && e.Const == "nil")
	})
	return removes && slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && accesspath.Same(e.Base, container) && e.Op&summary.Delete == 0 &&
			d.onePassage(s.read, e) && d.f.Order().MustPass(s.read.Instr, e.Instr, w.Instr)
	})
}
