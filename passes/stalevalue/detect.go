package stalevalue

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

// The categories, most serious first.
const (
	lostUpdate   = "lost-update"
	checkThenAct = "check-then-act"
	staleUse     = "stale-use"
	escapeRef    = "escape-ref"
	escape       = "escape"
)

// A detector looks for stale values in one function.
type detector struct {
	pass     *analysis.Pass
	pkg      *summary.Package
	f        *summary.Func
	findings []finding.Finding
	held     map[ssa.Instruction][]accesspath.Location // see heldAt
}

// A stale is a read whose value is acted upon in a later passage.
type stale struct {
	read, act   *summary.Event
	readIndex   int
	category    string
	guard       summary.Hold // under which the read was made
	info        *summary.LocInfo
	writer      *summary.Writer
	data, check bool
	skew        bool // see skewed
}

// detect reports the acts on stale values in the function: for each passage
// that acts, the most serious one.
func (d *detector) detect() {
	var found []stale
	for ri, r := range d.f.Events {
		if !d.canGoStale(r) && !d.stays(r) || d.actedOn(ri) {
			continue
		}
		info := d.pkg.Location(r.Loc)
		guard, ok := validGuard(r, info)
		if !ok {
			continue
		}
		for _, w := range d.f.Events {
			s := stale{read: r, act: w, readIndex: ri, guard: guard, info: info}
			if d.isStale(&s) {
				found = append(found, s)
			}
		}
		found = append(found, d.unchecked(ri, r, guard, info)...)
	}
	d.report(slices.DeleteFunc(found, func(s stale) bool { return d.follows(s, found) }))
}

// follows reports whether the function has written what was read before it comes
// to the act: then that write is the act on the stale value.
func (d *detector) follows(s stale, found []stale) bool {
	return sameCell(s.read, s.act) && slices.ContainsFunc(found, func(o stale) bool {
		return o.read == s.read && o.act.Instr != s.act.Instr && sameCell(o.read, o.act) &&
			d.f.Order().MustPass(s.read.Instr, o.act.Instr, s.act.Instr)
	})
}

// canGoStale reports whether the value of a read says something about the
// location after its passage: not if that has taken it out or reserved it.
func (d *detector) canGoStale(r *summary.Event) bool {
	return r.Reads() && !r.Writes() && !d.owned(r) && len(r.Values) > 0 && r.Base != accesspath.Unknown
}

// actedOn reports whether the callee that makes a read goes on to act on it: then
// that is what may be wrong, and to be reported there.
func (d *detector) actedOn(ri int) bool {
	r := d.f.Events[ri]
	return r.Callee != nil && slices.ContainsFunc(d.f.Events, func(w *summary.Event) bool {
		return w.Ord == r.Ord && w.Writes() && w.Loc == r.Loc && accesspath.Same(w.Base, r.Base) &&
			(slices.Contains(w.Data, ri) || slices.Contains(w.Control, ri)) && !summary.SharePassage(w, r)
	})
}

// stays reports whether the passage of a read only adds to what it reads, or takes
// away from it: the value that it comes to is in place when the passage ends. It
// has been reserved, but it can go stale as a number to count on with.
func (d *detector) stays(r *summary.Event) bool {
	if !r.Reads() || len(r.Values) == 0 || r.Base == accesspath.Unknown {
		return false
	}
	written := false
	for _, w := range d.f.Events {
		if w.Writes() && sameCell(r, w) && (w == r || summary.SharePassage(r, w)) {
			if !w.Delta() {
				return false
			}
			written = true
		}
	}
	return written
}

// validGuard returns the hold under which r is read of a guard that all
// writers of the location hold, or of the atomic operation that it is.
func validGuard(r *summary.Event, info *summary.LocInfo) (summary.Hold, bool) {
	if info.Constant() {
		return summary.Hold{}, false
	}
	for _, h := range r.Holds {
		if slices.Contains(info.Guards, h.Class) {
			return h, true
		}
	}
	for _, h := range r.Holds {
		if h.Inner && info.Atomic && strings.HasPrefix(string(h.Class), string(r.Loc)) {
			return h, true
		}
	}
	return summary.Hold{}, false
}

// isStale decides whether act is an act on the stale value of read.
func (d *detector) isStale(s *stale) bool {
	r, w := s.read, s.act
	if !w.Writes() || w.Op&summary.Compare != 0 || w.Once() || w.Ord == r.Ord || len(w.Holds) == 0 || w.Base == accesspath.Unknown {
		return false
	}
	s.data = slices.Contains(w.Data, s.readIndex)
	s.check = slices.Contains(w.Control, s.readIndex) || sameCell(r, w) && d.interrupts(s)
	if !s.data && !s.check && d.skewed(s) {
		s.check, s.skew, s.category = true, true, checkThenAct
		return true
	}
	if !s.data && !s.check || !d.related(s) || !d.splits(s) {
		return false
	}
	if d.revalidated(s) {
		return false
	}
	grows, revivable := d.grows(s), d.revivable(s)
	if !grows && !revivable && !d.canGoStale(r) {
		return false
	}
	if s.info.Atomic && d.underWritersLock(s) && !d.overwritesFinal(s) {
		return false
	}
	if s.writer = d.interferer(s); s.writer == nil {
		return false
	}
	delta := d.isDelta(s) && !grows && !d.mixes(s)
	same := sameCell(r, w)
	switch {
	case s.data && delta:
		return false // takes away what was read, or adds to what is there
	case s.data && same && d.valueDepends(s):
		s.category = lostUpdate
	case s.check:
		s.category = checkThenAct
	case s.data && d.valueDepends(s):
		s.category = staleUse
	default:
		return false
	}
	if s.info.InsertOnly && !s.check {
		return false // what is in there stays
	}
	if s.category == checkThenAct && !revivable {
		return !d.comesAround(s) && !d.settled(s) && !d.claimed(s) && !d.harmless(s) && !d.besides(s)
	}
	return true
}

// sameCell reports whether a and b access the same element of the same object.
func sameCell(a, b *summary.Event) bool {
	return a.Loc == b.Loc && accesspath.Same(a.Base, b.Base) && accesspath.KeysOverlap(a.Key, b.Key)
}

// related reports whether the act touches what the read was about: the same
// location, one of the same guard that some writer of the first handles in the
// same region, or one under another guard that some function writes together
// with the first.
func (d *detector) related(s *stale) bool {
	r, w := s.read, s.act
	if r.Loc == w.Loc {
		return sameCell(r, w) || s.data && d.mixes(s) || d.chose(s)
	}
	// What a callee makes of an argument does not tie two locations together.
	s.check = s.check && d.decides(r, w)
	if d.abandons(s) {
		return true
	}
	if w.Hold(s.guard.Path) != nil {
		return s.info.IsJoint(w.Loc) || d.handles(w, r) && (s.data || d.asks(r) && d.pkg.LeadsTo(d.f, r, w.Instr.Block()))
	}
	if s.info.Atomic {
		return d.outlives(s) || d.revivable(s)
	}
	if w.Delta() {
		return false
	}
	if !(s.check && w.Base.Within(r.Base) && s.info.WrittenWith(w.Loc, w.Callee, d.f) || s.data && (d.rebuilds(s) || d.caches(s))) {
		return false
	}
	// Whoever writes both has to wait for the guard of the act. If that is held
	// all the time, the other's second write comes after this one.
	through := d.f.Order().HeldThrough(r, w)
	return !slices.ContainsFunc(w.Holds, func(h summary.Hold) bool { return slices.Contains(through, h.Class) })
}

// chose reports whether the check has chosen the elements that the act puts in:
//
//	for _, k := range missing(keys) { add(k) }
func (d *detector) chose(s *stale) bool {
	r, w := s.read, s.act
	unknown := func(e *summary.Event) bool { return e.Key.HasAny() }
	return s.data && s.check && w.Op&summary.Delete == 0 && unknown(r) && unknown(w) && accesspath.Same(r.Base, w.Base) && d.decides(r, w)
}

// revivable reports whether the act takes an object out of a container because its
// count of users has come to zero, while others may still find it there, and count
// themselves in.
func (d *detector) revivable(s *stale) bool {
	r, w := s.read, s.act
	if w.Op&summary.Delete == 0 || !r.Writes() || !r.Delta() || !s.info.Atomic || !r.Base.Within(w.MemberPath()) || r.Base == w.MemberPath() || d.onePassage(r, w) {
		return false
	}
	return slices.ContainsFunc(s.info.Writers, func(o summary.Writer) bool {
		return o.Effect == summary.Raises && o.Func != summary.Name(d.f.Fn)
	})
}

// outlives reports whether the act puts something into what is emptied by the function
// that sets the atomic flag which was checked: who closes a pool does not see what is
// put into it afterwards. If the flag was checked under the lock of the act, the pool
// is emptied after that.
func (d *detector) outlives(s *stale) bool {
	r, w := s.read, s.act
	if !s.check || w.Op&(summary.Delete|summary.Fixed) != 0 || !related(r.Base, w.Base) || d.onePassage(r, w) {
		return false
	}
	info := d.pkg.Location(w.Loc)
	return !info.Constant() && slices.ContainsFunc(s.info.Writers, func(closer summary.Writer) bool {
		return closer.Func != summary.Name(d.f.Fn) && slices.ContainsFunc(info.Writers, func(o summary.Writer) bool {
			return o.Func == closer.Func && (o.Effect == summary.Removes || o.Const == "nil")
		})
	})
}

// handles reports whether the passage of the act also has to do with what was
// read: it is part of its view.
func (d *detector) handles(w, r *summary.Event) bool {
	return slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return e != w && sameCell(e, r) && summary.SharePassage(e, w) && !summary.SharePassage(e, r)
	})
}

// asks reports whether the passage of r only looks: one that changes something is
// an operation by itself.
func (d *detector) asks(r *summary.Event) bool {
	return !slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool { return e.Writes() && summary.SharePassage(e, r) })
}

// rebuilds reports whether the act replaces a container, whose elements others change
// in place, by one that was built from what was read: what they have put into the
// old one meanwhile is lost.
func (d *detector) rebuilds(s *stale) bool {
	w := s.act
	info := d.pkg.Location(w.Loc)
	replaces := w.Key == "" && w.Callee == nil && len(w.Inputs) > 0 && depgraph.IsContainer(w.Inputs[0].Type())
	return replaces && related(s.read.Base, w.Base) && !info.Constant() && info.WrittenWith(s.read.Loc, nil, d.f) &&
		slices.ContainsFunc(info.Writers, func(o summary.Writer) bool { return o.Part && d.pkg.Concurrent(d.f, &o) })
}

// caches reports whether the act keeps, in an element of a container, what was computed
// from the value read, while those who change that also take such elements out: what
// they take out, or do not find, comes after them.
func (d *detector) caches(s *stale) bool {
	w := s.act
	return w.Key != "" && w.Op&summary.Delete == 0 && w.Callee == nil && related(s.read.Base, w.Base) && d.valueDepends(s) && s.info.Updates(w.Loc)
}

// decides reports whether a branch on what r read decides about w in this
// function.
func (d *detector) decides(r, w *summary.Event) bool {
	own := *w
	own.Conditions = nil
	return slices.ContainsFunc(d.pkg.Conditions(&own), func(c ssa.Value) bool {
		return d.pkg.Slice(d.f, c).HasAny(r.Values)
	})
}

// related reports whether one of two objects is a part of the other.
func related(a, b accesspath.Path) bool { return a.Within(b) || b.Within(a) }

// valueDepends reports whether the value written, not just the key that it is
// written under, is computed from the stale one.
func (d *detector) valueDepends(s *stale) bool {
	w := s.act
	if w.Op&summary.Delete != 0 {
		return false // there is only a key
	}
	if w.Callee != nil || w.Within != nil || len(w.Inputs) == 0 {
		return true
	}
	return d.pkg.Slice(d.f, w.Inputs[0]).HasAny(s.read.Values)
}
