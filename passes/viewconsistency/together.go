package viewconsistency

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// The rules of this file say whether the two locations, and the two writes, belong
// together.

// keptConsistent: the two locations are kept consistent with each other, and not just
// accessed in one section by the way: a good part of the sections that access either
// access both.
//
//	func (c *client) Close() { // writes all, while others write name or timeout
//		c.mu.Lock()
//		defer c.mu.Unlock()
//		c.name, c.timeout, c.closed = "", 0, true
//	}
//
// Of two that are read it is enough that all sections that write the second also write the
// first, however many others there are that switch a flag alone: the first tells of the second.
func (c *candidate) keptConsistent() bool {
	pkg, x, y := c.d.pkg, c.first.Loc, c.second.Loc
	switch c.relation {
	case readsOfStored:
		return pkg.Views().Stored(x, y)
	case readsOfPublished:
		return pkg.Views().Announced(x, y)
	case readsOfReplaced, readsOfOne, readsOfMoved:
		return true
	case readsOfNested:
		return pkg.Location(x).WrittenWith(y, nil, c.d.f.Sum.Name) || pkg.Location(y).WrittenWith(x, nil, c.d.f.Sum.Name)
	case writesOfJoined:
		return pkg.Views().ReadTogether(x, y) || c.toggles() || c.onlyUpdates()
	}
	return pkg.Location(x).IsJoint(y) || c.relation == readsOfWritten && pkg.Views().Tells(y, x)
}

// wholeStep: one of the two accesses belongs to a step that has to do with both
// locations, a section or a call with sections of its own, and that takes care of their
// relation by itself. Two such steps are two operations, and not one that was taken
// apart.
//
//	top := s.Top() // peeks
//	if top != 0 {
//		return s.Pop() // looks at top and list in one section
//	}
func (c *candidate) wholeStep() bool {
	return c.relation != readsOfReplaced && c.relation != readsOfOne && c.relation != readsOfMoved && (c.d.touches(c.first, c.a, c.second) || c.d.touches(c.second, c.b, c.first))
}

// touches reports whether the section of e, or the call that e is made in, also
// accesses what other does.
func (d *detector) touches(e *summary.Event, of *section, other *summary.Event) bool {
	for i, o := range d.f.Events {
		if o.Loc != other.Loc || !accesspath.Same(o.Base, other.Base) || d.isAfterthought(o, e) {
			continue
		}
		if (o.Ord == e.Ord || slices.Contains(of.Events, i)) && !d.f.Exclude(o, e) {
			return true
		}
	}
	return false
}

// isAfterthought reports whether an access does not take part in a read of another
// variable: it comes later, and yields nothing.
//
//	n := s.recent[k] // in the section of the read
//	if s.hits++; s.hits > limit {
//		s.merge() // writes s.table, which the first section has read
//	}
func (d *detector) isAfterthought(o, read *summary.Event) bool {
	return !read.Writes() && o.Ord != read.Ord && len(o.Values) == 0 && !d.f.Order().Flows(o.Instr, read.Instr)
}

// blindWrites: neither write depends on what its section finds there: each only puts in
// its part of something larger. A write that is computed from other guarded state, or
// decided by it, is a step that keeps that state consistent by itself.
//
//	b.closeCash()    // if b.cash < 0 { b.overdrawn = true }
//	b.closeSavings() // if b.cash >= 0 { b.savings = 0 }
//
// Of an update that is the only one of both, the one part may be relative:
//
//	r.add(op.Key, op.Delta)        // r.values[key] += delta
//	r.advance(op.Origin, op.Seq)   // r.clock[origin] = seq
func (c *candidate) blindWrites() bool {
	one, two := c.d.blind(c.first), c.d.blind(c.second)
	return one && two || (one && c.second.Delta() || two && c.first.Delta()) && c.relation == writesOfJoined && c.onlyUpdates()
}

// onlyUpdates reports whether the two are elements of containers that nobody but the function writes, so that they never change apart.
func (c *candidate) onlyUpdates() bool {
	if c.first.Key == "" || c.second.Key == "" {
		return false // a count, and the time of the last one
	}
	for _, l := range []accesspath.Location{c.first.Loc, c.second.Loc} {
		if slices.ContainsFunc(c.d.pkg.Location(l).Writers, func(w summary.Writer) bool {
			return w.Fn < 0 || w.Fn != c.d.f.ID && !c.d.pkg.Processes().OnlyReachedBy(c.d.pkg.Funcs[w.Fn], c.d.f)
		}) {
			return false
		}
	}
	return true
}

// blind reports whether a write does not depend on what its section finds.
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

// latches: both writes set flags that nobody ever takes back: each says something for
// good, whatever the other does.
//
//	l.setStopped() // l.stopped = true
//	l.setDrained() // l.drained = true
func (c *candidate) latches() bool {
	one, two := c.d.pkg.Location(c.first.Loc), c.d.pkg.Location(c.second.Loc)
	return one.Latch != "" && two.Latch != ""
}

// restAskedFor: an object is put under a name and finished later, and the reader asks whether it is finished: by whether the field
// that is written last is nil. A number or a flag may be zero in one that is finished.
//
//	s.slots[name] = &slot{}
//	s.slots[name].vm = vm // if s.slots[name].vm == nil { return errBooting }
func (c *candidate) restAskedFor() bool {
	f, put := c.writer(), c.first
	return f != nil && put.Key != "" && put.Op&summary.Delete == 0 && c.second.Base.Within(put.ElementPath()) && slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc == c.second.Loc && e.Key == "" && asksForNil(f, e)
	})
}

// asksForNil reports whether a branch asks whether what was read is nil.
func asksForNil(f *summary.Func, e *summary.Event) bool {
	for br := range f.BranchesOn(e.Values) {
		if f.FoundSide(br.Cond, e, branch.Fact.Nil) >= 0 {
			return true
		}
	}
	return false
}

// oneSource: the two writes are one update in two steps: to the same element, or from
// the same source, or two resets, or a reset that the result of the first write decides.
//
//	p.setX(point.x)
//	p.setY(point.y)
//
//	if n.enter(term) { // reports whether the term is a new one
//		n.forgetVote()
//	}
func (c *candidate) oneSource() bool {
	if c.relation == writesOfJoined && c.toggles() || c.resetsBecause() {
		return true
	}
	if c.first.Key != "" && c.second.Key != "" {
		if accesspath.SameElement(c.first.Key, c.second.Key) {
			return true
		}
		if !accesspath.KeysOverlap(c.first.Key, c.second.Key) && !c.areOfOne() {
			return c.isReverse()
		}
	}
	if c.first.Base == c.second.Base && strings.HasSuffix(string(c.first.Base), "]") {
		return true // fields of one element
	}
	one, two := c.d.origins(c.first), c.d.origins(c.second)
	if len(one) == 0 && len(two) == 0 {
		return true
	}
	return slices.ContainsFunc(one, func(v ssa.Value) bool { return slices.Contains(two, v) })
}

// areOfOne reports whether the keys of the two elements are parts of one object that the function is given.
func (c *candidate) areOfOne() bool {
	one, two := c.first.Key.Path(), c.second.Key.Path()
	return one != accesspath.Unknown && two != accesspath.Unknown && one.Root() == two.Root() && one != one.Root() && two != two.Root() && !one.Within(c.first.Base.Root())
}

// isReverse reports whether the two elements are entries of a relation and of its reverse: each has the key, or the value, of the
// other one for its own.
//
//	s.rooms[user][room] = true
//	s.users[room][user] = true
func (c *candidate) isReverse() bool {
	one, two := c.d.entry(c.first), c.d.entry(c.second)
	slices.Sort(one)
	slices.Sort(two)
	return len(one) > 1 && slices.Equal(one, two) && !slices.Contains(one, accesspath.AnyKey)
}

// entry returns the keys of an element, and the value that is stored in it as a key if it has a name.
func (d *detector) entry(e *summary.Event) []accesspath.Key {
	out := e.Key.Parts()
	if !e.Key.IsNested() && len(e.Inputs) > 0 && e.Op&summary.Delete == 0 {
		out = append(out, d.f.Res.Key(e.Inputs[0]))
	}
	return out
}

// resetsBecause reports whether the second write stores a constant and is control-dependent on a boolean result of the
// callee that makes the first write.
func (c *candidate) resetsBecause() bool {
	call, ok := c.first.Instr.(*ssa.Call)
	return ok && c.second.Const != "" && !c.second.Delta() && c.first.Const == "" &&
		slices.ContainsFunc(c.d.f.DirectBranches(c.second.Instr.Block()), func(br *ssa.If) bool {
			return slices.ContainsFunc(ssautil.Results(call), func(v ssa.Value) bool { return ssautil.IsBool(v.Type()) && br.Cond == v })
		})
}

// origins returns what the value that a write puts in comes from: parameters, objects that the
// function makes, results of calls, and what was read from memory, but not the object itself.
func (d *detector) origins(w *summary.Event) []ssa.Value {
	var out []ssa.Value
	for _, in := range w.Inputs {
		for _, v := range d.f.Slice(in) {
			if d.f.Res.Resolve(v).Path == w.Base.Root() {
				continue
			}
			switch v := v.(type) {
			case *ssa.Parameter:
				// What a caller passes in one call is one thing.
				out = append(out, v.Parent().Params[0])
			case *ssa.FreeVar, *ssa.Call, *ssa.UnOp, *ssa.Lookup, *ssa.Extract, *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap:
				out = append(out, v)
			}
		}
	}
	return out
}
