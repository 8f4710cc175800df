package viewconsistency

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// kept reports whether the two locations of a split are kept consistent with
// each other, and not just accessed by one region by the way: a good part of
// the regions that access either access both.
func (d *detector) kept(m *summary.View, x, y accesspath.Location) bool {
	switch {
	case m.Kind == summary.PairView:
		return d.pkg.Stored(x, y)
	case m.Nested:
		return d.pkg.Location(x).WrittenWith(y, nil, d.f) || d.pkg.Location(y).WrittenWith(x, nil, d.f)
	case m.Kind == summary.WriteView:
		return d.pkg.Location(x).IsJoint(y)
	}
	return d.pkg.ReadTogether(x, y)
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
		if (o.Ord == e.Ord || slices.Contains(of.Events, i)) && !d.f.Exclude(o, e) {
			return true
		}
	}
	return false
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

// oneUpdate reports whether two writes are one update in two steps: each puts in
// its part, and the parts come from the same source, or both are reset.
func (d *detector) oneUpdate(s *split) bool {
	if !d.blind(s.first) || !d.blind(s.second) || d.latches(s) {
		return false
	}
	if s.first.Key != "" && s.second.Key != "" {
		if accesspath.SameElement(s.first.Key, s.second.Key) {
			return true
		}
		if !accesspath.KeysOverlap(s.first.Key, s.second.Key) {
			return false
		}
	}
	if s.first.Base == s.second.Base && strings.HasSuffix(string(s.first.Base), "]") {
		return true // fields of one element
	}
	one, two := d.origins(s.first), d.origins(s.second)
	if len(one) == 0 && len(two) == 0 {
		return true
	}
	return slices.ContainsFunc(one, func(v ssa.Value) bool { return slices.Contains(two, v) })
}

// origins returns what the value that an event writes comes from: parameters,
// results of calls, and what was read from memory, but not the object itself.
func (d *detector) origins(w *summary.Event) []ssa.Value {
	var out []ssa.Value
	for _, in := range w.Inputs {
		for _, v := range d.pkg.Slice(d.f, in) {
			if d.f.Res.Resolve(v).Path == w.Base.Root() {
				continue
			}
			switch v := v.(type) {
			case *ssa.Parameter:
				// What a caller passes in one call is one thing.
				out = append(out, v.Parent().Params[0])
			case *ssa.FreeVar, *ssa.Call, *ssa.UnOp, *ssa.Lookup, *ssa.Extract:
				out = append(out, v)
			}
		}
	}
	return out
}

// latches reports whether both writes set flags that nobody ever takes back:
// each says something for good, whatever the other does.
func (d *detector) latches(s *split) bool {
	one, two := d.pkg.Location(s.first.Loc), d.pkg.Location(s.second.Loc)
	return one.Latch != "" && two.Latch != ""
}

// reread reports whether what was read first is read again in the section of the
// second read, before that, on every way there that leaves the first section.
func (d *detector) reread(s *split) bool {
	way := summary.Way{From: s.first.Instr, To: s.second.Instr, Forward: true}
	if !s.a.Inner {
		way.Guard = s.a.Path
	}
	for _, e := range d.f.Events {
		if e == s.first || !e.Reads() || e.Loc != s.first.Loc || !accesspath.Same(e.Base, s.first.Base) || !summary.SharePassage(e, s.second) {
			continue
		}
		way.Avoid = e.Instr
		if !d.f.Order().Exists(way) {
			return true
		}
	}
	return false
}

// versionChecked reports whether the two values are only used if something else
// that the view changes, a version of the same object, is after both reads what
// it was before them.
func (d *detector) versionChecked(s *split) bool {
	for br := range depgraph.Branches(d.f.Fn) {
		if !d.keeps(s, br) {
			continue
		}
		slice := d.pkg.Slice(d.f, br.Cond)
		for _, now := range d.f.Events {
			if d.isVersion(s, now) && slice.HasAny(now.Values) && d.f.Order().Flows(s.second.Instr, now.Instr) &&
				slices.ContainsFunc(d.f.Events, func(before *summary.Event) bool {
					return before.Ord != now.Ord && before.Loc == now.Loc && accesspath.Same(before.Base, now.Base) &&
						slice.HasAny(before.Values) && (before == s.first || d.f.Order().Flows(before.Instr, s.first.Instr))
				}) {
				return true
			}
		}
	}
	return false
}

// keeps reports whether a branch on the way from the second read to where the two
// values come together decides whether they do, or are read anew first.
func (d *detector) keeps(s *split, br *ssa.If) bool {
	if !d.f.Order().MustPass(s.second.Instr, br, s.join.At) {
		return false
	}
	leads := func(side int) bool {
		to := br.Block().Succs[side].Instrs[0]
		return to == s.join.At || d.f.Order().Exists(summary.Way{From: to, To: s.join.At, Avoid: s.second.Instr})
	}
	return leads(0) != leads(1)
}

// isVersion reports whether e reads something else of the same object that the
// view changes, or the first variable if that is a counter: other values may
// change and come back.
func (d *detector) isVersion(s *split, e *summary.Event) bool {
	return e.Reads() && s.view.Has(e.Loc) && e.Loc != s.second.Loc &&
		(e.Loc != s.first.Loc || d.pkg.Location(e.Loc).Counter) &&
		(accesspath.Same(e.Base, s.first.Base) || accesspath.Same(e.Base, s.second.Base))
}

// subscribes reports whether the first read is of a channel that tells of
// changes. Who has the channel first, and then looks, misses nothing: if what it
// sees is old, the channel wakes it. The other order is wrong.
func (d *detector) subscribes(s *split) bool {
	for _, v := range s.first.Values {
		if _, ok := v.Type().Underlying().(*types.Chan); ok {
			return true
		}
	}
	return false
}

// counts reports whether both variables are counters that only come together in
// a list of such: each is right by itself, and the sums say what they say.
// Computed with each other they are not.
func (d *detector) counts(s *split) bool {
	if !d.pkg.Location(s.first.Loc).Counter || !d.pkg.Location(s.second.Loc).Counter {
		return false
	}
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			op, ok := instr.(*ssa.BinOp)
			if !ok {
				continue
			}
			x, y := d.pkg.Slice(d.f, op.X), d.pkg.Slice(d.f, op.Y)
			if x.HasAny(s.first.Values) && y.HasAny(s.second.Values) || y.HasAny(s.first.Values) && x.HasAny(s.second.Values) {
				return false
			}
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

// known reports whether the second read is only made where the first has found
// nothing. There the first has nothing more to say, and the two do not come
// together: whoever looks first where things are taken from, and then where they
// are put, misses none. Against that direction something may be missed.
func (d *detector) known(s *split) bool {
	if s.view.Takes(s.second.Loc) && !s.view.Takes(s.first.Loc) {
		return false
	}
	for _, br := range d.pkg.Branches(s.second) {
		side := summary.AbsentSide(br.Cond, s.first)
		if side < 0 {
			continue
		}
		other := br.Block().Succs[1-side].Instrs[0]
		if other != s.second.Instr && !d.f.Order().Exists(summary.Way{From: other, To: s.second.Instr, Avoid: br}) {
			return true
		}
	}
	return false
}
