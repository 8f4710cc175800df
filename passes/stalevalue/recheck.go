package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// revalidated reports whether the act is decided by a second look at what was
// read: at the location itself, or, in the passage of the act, at a version that
// was read with it and is compared with what it was. If the second look is not
// in the passage of the act, it is what goes stale, and is reported itself.
func (d *detector) revalidated(s *stale) bool {
	r, w := s.read, s.act
	if w.Looked() && (r.Loc == w.Loc || !d.fills(s)) {
		return true // the callee decides by itself, by what is there
	}
	if d.comparesWithPresent(s) || d.objectDecides(s) {
		return true
	}
	for _, i := range w.Control {
		e := d.f.Events[i]
		if i == s.readIndex {
			continue
		}
		// Of two elements with unknown keys that look the same the second look is
		// meant to be at the first.
		if e.Loc == r.Loc && (accesspath.Same(e.Base, r.Base) || e.Base == r.Base) {
			if e.Op&summary.Compare != 0 {
				return true
			}
			if accesspath.KeysMayMatch(e.Key, r.Key) && d.later(e, s) {
				return true
			}
		}
		if !d.onePassage(e, w) {
			continue
		}
		if d.comparesVersion(s, i) {
			return true
		}
	}
	return false
}

// flags returns what is asked in the passage of the act, and is changed together with
// what was read: it tells of those changes as well.
func (d *detector) flags(s *stale) []accesspath.Location {
	var out []accesspath.Location
	for _, i := range s.act.Control {
		e := d.f.Events[i]
		if i != s.readIndex && e.Loc != s.read.Loc && e.Loc != s.act.Loc && e.Reads() && d.onePassage(e, s.act) &&
			related(e.Base, s.read.Base) && s.info.IsJoint(e.Loc) {
			out = append(out, e.Loc)
		}
	}
	return out
}

// objectDecides reports whether the act is decided by the object that was looked up in a
// container: by a claim on it, or, if the act is on the one or the other, under its lock,
// which is held until the act. To count down to zero is no claim: others may count up
// again.
func (d *detector) objectDecides(s *stale) bool {
	r, w := s.read, s.act
	object := accesspath.Unknown
	if r.Key != "" {
		object = r.MemberPath().Index(r.Key)
	}
	of := func(e *summary.Event) bool {
		known := accesspath.Same(e.Base, e.Base)
		return known && e.Base.Within(object) || d.cameFrom(e, r)
	}
	if w.Op&summary.Delete != 0 && r.Loc != w.Loc && of(w) {
		return true // an object that has been taken out can be emptied, too
	}
	near := r.Loc == w.Loc || of(w)
	if r.Loc != w.Loc && !s.data && of(w) && d.isDelta(s) {
		return true // it changes the object as that is now
	}
	return slices.ContainsFunc(w.Control, func(i int) bool {
		e := d.f.Events[i]
		return e.Reads() && e.Loc != r.Loc && of(e) && (d.marks(e) || near && d.underOwnLock(e, w))
	})
}

// underOwnLock reports whether a lock of the object that e looks into is held from e to
// the act w.
func (d *detector) underOwnLock(e, w *summary.Event) bool {
	return slices.ContainsFunc(e.Holds, func(h summary.Hold) bool {
		g := w.Hold(h.Path)
		return !h.Inner && g != nil && !g.Inner && h.Path.Within(e.Base) && d.f.Order().Flows(e.Instr, w.Instr) && !d.f.Order().EndsBetween(e.Instr, w.Instr, h.Path)
	})
}

// marks reports whether what e reads is a flag that its passage then sets: a claim. To
// empty something, or to count down, is none.
func (d *detector) marks(e *summary.Event) bool {
	return e.Owned() && slices.ContainsFunc(d.f.Events, func(set *summary.Event) bool {
		return set.Ord == e.Ord && set.Writes() && set.Loc == e.Loc && set.Base == e.Base && set.Const != "" && set.Const != "nil"
	})
}

// cameFrom reports whether e accesses an object that was found in what r read: the one
// that the instruction looks into, or that it gives to a callee which does.
func (d *detector) cameFrom(e, r *summary.Event) bool {
	objects := objectsOf(e.Instr)
	return slices.ContainsFunc(objects, func(v ssa.Value) bool {
		path := d.f.Res.Resolve(v).Path
		return path != accesspath.Unknown && e.Base.Within(path) && d.pkg.Slice(d.f, v).HasAny(r.Values)
	})
}

// objectsOf returns the pointers that an instruction looks into or gives to a callee.
func objectsOf(instr ssa.Instruction) []ssa.Value {
	switch instr := instr.(type) {
	case ssa.CallInstruction:
		return instr.Common().Args
	case *ssa.UnOp:
		return objectOf(instr.X)
	case *ssa.Store:
		return objectOf(instr.Addr)
	}
	return nil
}

func objectOf(addr ssa.Value) []ssa.Value {
	if field, ok := addr.(*ssa.FieldAddr); ok {
		return append(objectOf(field.X), field.X)
	}
	return nil
}

// fills reports whether the act puts something where nothing is. If it was decided
// by another variable, to find nothing there says nothing about that one: who
// changed it may have taken away what was there.
func (d *detector) fills(s *stale) bool {
	return s.act.Key != "" && s.act.Op&summary.Delete == 0 && s.act.Const == ""
}

// comparesWithPresent reports whether the act writes the larger or the smaller of
// what is there and something else.
func (d *detector) comparesWithPresent(s *stale) bool {
	w := s.act
	if w.Callee != nil || len(w.Inputs) == 0 {
		return false
	}
	c, ok := w.Inputs[0].(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := c.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "max" && b.Name() != "min" {
		return false
	}
	for _, i := range w.Data {
		e := d.f.Events[i]
		if sameCell(e, w) && d.onePassage(e, w) && slices.ContainsFunc(c.Call.Args, func(v ssa.Value) bool { return slices.Contains(e.Values, v) }) {
			return true
		}
	}
	return false
}

// later reports whether e is read after the passage of the stale read.
func (d *detector) later(e *summary.Event, s *stale) bool {
	if d.onePassage(e, s.act) {
		return true
	}
	if e.Ord == s.act.Ord {
		return true // the callee looks itself
	}
	second := *s
	second.act = e
	return !summary.SharePassage(e, s.read) && d.splits(&second) && d.f.Order().Flows(e.Instr, s.act.Instr)
}

// onePassage reports whether e and the act w lie in one passage through a lock:
// e is what it was when w happens, if writers respect the lock.
func (d *detector) onePassage(e, w *summary.Event) bool {
	if e.Ord == w.Ord && e.Instr == w.Instr {
		return summary.SharePassage(e, w)
	}
	for _, h := range e.Holds {
		g := w.Hold(h.Path)
		if g == nil || h.Inner || g.Inner || d.f.Order().EndsBetween(e.Instr, w.Instr, h.Path) || !d.f.Order().Flows(e.Instr, w.Instr) {
			continue
		}
		// A callee may have given the lock up, and taken it again, before it writes.
		if given := d.f.Order().Releases(h.Path)[w.Instr]; !given || h.SamePassage(*g) {
			return true
		}
	}
	return false
}

// comparesVersion reports whether the decision to act compares event i, read
// afresh, with the same location as it was read together with the stale value.
func (d *detector) comparesVersion(s *stale, i int) bool {
	fresh := d.f.Events[i]
	if info := d.pkg.Location(fresh.Loc); fresh.Loc != s.read.Loc && !s.info.IsJoint(fresh.Loc) && !(info != nil && info.Counter) {
		return false // who changes the one leaves the other as it is
	}
	for j, old := range d.f.Events {
		if j == i || old.Loc != fresh.Loc || !slices.Contains(s.act.Control, j) || d.onePassage(old, s.act) ||
			!(old == s.read || summary.SharePassage(old, s.read)) {
			continue
		}
		if s.act.Callee != nil && fresh.Ord == s.act.Ord {
			return true // the callee is given the old one, and looks at the new one
		}
		for _, c := range d.pkg.Conditions(s.act) {
			slice := d.pkg.Slice(d.f, c)
			if slice.HasAny(fresh.Values) && slice.HasAny(old.Values) {
				return true
			}
		}
	}
	return false
}

// isDelta reports whether the act changes what is there now by some amount.
func (d *detector) isDelta(s *stale) bool {
	w := s.act
	if w.Reads() {
		return w.Delta() || w.Op&summary.Content != 0 // one atomic step
	}
	for _, i := range w.Data {
		e := d.f.Events[i]
		if i != s.readIndex && e.Loc == w.Loc && accesspath.Same(e.Base, w.Base) && d.onePassage(e, w) {
			return true
		}
	}
	return false
}

// grows reports whether the act adds something to what is there that is computed
// from what was there.
func (d *detector) grows(s *stale) bool {
	return sameCell(s.read, s.act) && slices.ContainsFunc(s.act.Added, func(v ssa.Value) bool {
		return d.pkg.Adds(d.f, v, s.read.Values)
	})
}

// mixes reports whether the act writes something computed from both what was read
// and what is there now of the same.
func (d *detector) mixes(s *stale) bool {
	return !sameCell(s.read, s.act) && slices.ContainsFunc(s.act.Data, func(i int) bool {
		e := d.f.Events[i]
		return i != s.readIndex && sameCell(e, s.read) && summary.SharePassage(e, s.act) && !summary.SharePassage(e, s.read)
	})
}

// interrupts reports whether the read decides to wait for a change before the
// act, and control comes from there to the act without another look:
// if len(q) == 0 { cond.Wait() }; q = q[1:].
func (d *detector) interrupts(s *stale) bool {
	if s.guard.Inner || s.read.Within != nil || s.act.Within != nil {
		return false
	}
	for k := range d.f.Order().Releases(s.guard.Path) {
		waits := slices.ContainsFunc(d.f.Ops()[k], func(op lockset.Op) bool { return op.Waits })
		if !waits || k.Block() == s.read.Instr.Block() || !d.f.Order().Flows(s.read.Instr, k) ||
			!d.f.Order().Exists(summary.Way{From: k, To: s.act.Instr, Avoid: s.read.Instr}) {
			continue
		}
		for _, br := range d.pkg.DirectBranches(k.Block()) {
			if d.pkg.Slice(d.f, br.Cond).HasAny(s.read.Values) && d.f.Order().Exists(summary.Way{From: br, To: s.act.Instr, Avoid: k}) {
				return true
			}
		}
	}
	return false
}
