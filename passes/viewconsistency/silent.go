package viewconsistency

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// kept reports whether the two locations of a split are kept consistent with
// each other, and not just accessed by one region by the way: a good part of
// the regions that access either access both.
func (d *detector) kept(s *split) bool {
	x, y := s.first.Loc, s.second.Loc
	switch {
	case s.view.Kind == summary.PairView:
		return d.pkg.Stored(x, y)
	case s.view.Nested:
		return d.pkg.Location(x).WrittenWith(y, nil, d.f) || d.pkg.Location(y).WrittenWith(x, nil, d.f)
	case s.view.Kind == summary.WriteView:
		return d.pkg.Location(x).IsJoint(y)
	}
	return d.share(x, y, summary.JoinedView)*2 >= max(d.share(x, x, summary.ReadView), d.share(y, y, summary.ReadView))
}

// share counts the views of a kind that have both locations.
func (d *detector) share(x, y accesspath.Location, kind summary.ViewKind) int {
	n := 0
	for _, v := range d.pkg.ViewsOf(x) {
		if v.Kind == kind && v.Has(y) {
			n++
		}
	}
	return n
}

// whole reports whether one of the two accesses belongs to a step that has to do
// with both locations: a section, or a call with sections of its own, that takes
// care of their relation by itself. Two such steps are two operations, each for
// itself, and not one that was taken apart.
func (d *detector) whole(s *split) bool {
	return d.touches(s.first, s.a, s.second) || d.touches(s.second, s.b, s.first)
}

// touches reports whether the section of e, or the call that e is made in, also
// accesses what other does.
func (d *detector) touches(e *summary.Event, of *section, other *summary.Event) bool {
	for i, o := range d.f.Events {
		if o.Loc != other.Loc || !accesspath.Same(o.Base, other.Base) {
			continue
		}
		if o.Ord == e.Ord || slices.Contains(of.Events, i) {
			return true
		}
	}
	return false
}

// harmless reports whether a split write is no update in two steps: one of the
// writes is an operation of its own, or nobody else runs yet.
func (d *detector) harmless(s *split) bool {
	if s.category != splitWrite {
		return false
	}
	return d.pkg.Alone(d.f) || !d.blind(s.first) || !d.blind(s.second)
}

// blind reports whether a write does not depend on what its section finds there:
// it only puts in its part of something larger. A write that is computed from,
// or decided by, other guarded state is a step that keeps that state consistent
// by itself.
func (d *detector) blind(w *summary.Event) bool {
	if w.Reads() || w.Delta() {
		return false
	}
	for _, i := range w.Data {
		if summary.SharePassage(d.f.Events[i], w) {
			return false
		}
	}
	for _, i := range w.Control {
		if e := d.f.Events[i]; e.Loc != w.Loc && summary.SharePassage(e, w) {
			return false
		}
	}
	return true
}

// published reports whether the two reads of a pair of atomic variables are made
// only after a third one said that the pair is there: the function that stores
// the pair writes that one afterwards, and not again while others rely on it.
func (d *detector) published(s *split) bool {
	if s.view.Kind != summary.PairView {
		return false
	}
	for _, br := range d.pkg.Branches(s.first) {
		slice := d.pkg.Slice(d.f, br.Cond)
		for _, z := range d.f.Events {
			if !z.Reads() || s.view.Has(z.Loc) || !slice.HasAny(z.Values) {
				continue
			}
			info := d.pkg.Location(z.Loc)
			if info != nil && slices.ContainsFunc(info.Writers, func(w summary.Writer) bool { return w.Func == s.view.Func }) {
				return true
			}
		}
	}
	return false
}
