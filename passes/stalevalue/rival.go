package stalevalue

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/summary"
)

// A rival is a writer of what a function relies upon, that may run in between.
type rival struct {
	d      *detector
	writer *summary.Writer
	held   []accesspath.Location // the locks that are held all the time
	inPart bool                  // it matters to change elements in place
	// What follows is set for the acts on stale values.
	candidate *candidate
	keyTaken  bool
	flags     []accesspath.Location // see jointFlags
}

// isConcurrent: the rival can run at the same time.
//
//	s.load() // writes s.conf, before the goroutines are started
//	go s.serve()
func (r rival) isConcurrent() bool { return r.d.pkg.Concurrent(r.d.f, r.writer) }

// needsHeld: the rival needs a lock that is held from the read to the act.
//
//	s.outer.Lock()
//	n := s.get(); s.set(n + 1) // all writers hold s.outer
//	s.outer.Unlock()
func (r rival) needsHeld() bool { return r.writer.Needs(r.held) }

// changesPart: the rival changes elements of the container in place. One that replaces
// it as a whole leaves what was taken as it is.
//
//	s.mu.Lock(); s.routes = append(slices.Clone(s.routes), r); s.mu.Unlock()
func (r rival) changesPart() bool { return r.writer.Part }

// hasOwnKey: the element that was read has a key that was taken out of somewhere, and
// the rival is only called by the function: it has taken out another one.
//
//	id := <-s.free // s.mu.Lock(); id := s.next; s.next++; s.mu.Unlock()
//	if s.get(id) == nil { s.put(id, x) }
func (r rival) hasOwnKey() bool { return r.keyTaken && r.d.pkg.OnlyCalledBy(r.writer, r.d.f) }

// setsFlag: the rival also changes a flag that the act is decided by.
//
//	s.mu.Lock(); n := s.n; s.mu.Unlock()
//	s.mu.Lock()
//	if !s.reset { // reset() sets n = 0, and reset
//		s.n = n + 1
//	}
//	s.mu.Unlock()
func (r rival) setsFlag() bool {
	return slices.ContainsFunc(r.flags, func(l accesspath.Location) bool {
		info := r.d.pkg.Location(l)
		return !info.Constant() && slices.ContainsFunc(info.Writers, func(o summary.Writer) bool { return o.Func == r.writer.Func })
	})
}

// ofCandidate limits a rule to the rivals of acts that depend on a read, or look again.
func ofCandidate(r rival) bool { return r.candidate != nil && r.candidate.link != writeSkew }

func ofReference(r rival) bool { return r.inPart }

// runs reports whether a rival can run in between, by all rules.
func (r rival) runs() bool { return rivalRules.Rejecting(r.d.judge, r) == nil }

// orNobody returns a writer to name, also if the rules that require one are left out.
func orNobody(w *summary.Writer) *summary.Writer {
	if w == nil {
		return &summary.Writer{Func: "nobody"}
	}
	return w
}

// rivals returns the writers of what was read. In a write skew it is the function that
// computes it from what the act writes.
func (c *candidate) rivals() []rival {
	if c.link == writeSkew {
		other, _ := c.d.pkg.Derives(c.read.Loc, c.act.Loc)
		return []rival{{d: c.d, writer: &other, held: c.heldThrough(), candidate: c}}
	}
	held, keyTaken, flags := c.heldThrough(), c.d.keyTaken(c.read), c.jointFlags()
	writers := c.d.pkg.Writers(c.read, c.info)
	out := make([]rival, len(writers))
	for i := range writers {
		out[i] = rival{d: c.d, writer: &writers[i], held: held, candidate: c, keyTaken: keyTaken, flags: flags}
	}
	return out
}

// rival returns a writer of the location that can run between the read and the act, or
// nil; rather another one than the act itself.
func (c *candidate) rival() *summary.Writer {
	var own *summary.Writer
	for _, r := range c.rivals() {
		switch {
		case !r.runs():
		case c.link != writeSkew && r.writer.Pos.Pos == c.act.Pos.Pos && r.writer.Pos.Pos.IsValid():
			own = r.writer
		default:
			return r.writer
		}
	}
	return own
}

func (c *candidate) hasRival() bool { return c.rival() != nil }

// Remarks says which writers are no rivals, and why.
func (c *candidate) Remarks() []string {
	var out []string
	for _, r := range c.rivals() {
		text := "may run in between"
		if by := rivalRules.Rejecting(c.d.judge, r); by != nil {
			text = fmt.Sprintf("ruled out by %s (%s, %s)", by.ID, by.Kind, by.Mechanism)
		}
		out = append(out, fmt.Sprintf("writer %s, %s: %s", r.writer.Func, r.writer.Pos.Text, text))
	}
	return out
}

// jointFlags returns what is read in the section of the act, decides about it, and is
// written together with what was read: it tells of changes of that as well.
func (c *candidate) jointFlags() []accesspath.Location {
	var out []accesspath.Location
	for _, i := range c.act.Control {
		e := c.d.f.Events[i]
		if i != c.readIndex && e.Loc != c.read.Loc && e.Loc != c.act.Loc && e.Reads() && c.d.oneSection(e, c.act) &&
			related(e.Base, c.read.Base) && c.info.IsJoint(e.Loc) {
			out = append(out, e.Loc)
		}
	}
	return out
}

// keyTaken reports whether the element that r reads has a key that was taken out of
// somewhere: another goroutine that does the same has taken another one.
func (d *detector) keyTaken(r *summary.Event) bool {
	if r.Key == "" {
		return false
	}
	var operands [10]*ssa.Value
	for _, v := range r.Instr.Operands(operands[:0]) {
		if *v == nil || d.f.Res.Key(*v) != r.Key {
			continue
		}
		slice := d.f.Slice(*v)
		if slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
			return e.Loc != r.Loc && e.Reads() && e.Owned() && slice.HasAny(e.Values)
		}) {
			return true
		}
	}
	return false
}

// heldThrough returns the locks that are held from the read to the act. What a
// branch decides it decides anew in the next round of a loop; a value may be
// carried there.
func (c *candidate) heldThrough() []accesspath.Location {
	if c.data {
		return c.d.f.HeldThrough(c.read, c.act)
	}
	return c.d.f.HeldForward(c.read, c.act)
}

// actGuardHeld: the guard of the act on another location is held from the read on. A
// function that writes both has to wait for it, and so its second write comes after the
// act.
//
//	s.list.mu.Lock()
//	if s.isOpen() { // under s.mu
//		s.list.n++
//	}
//	s.list.mu.Unlock()
func (c *candidate) actGuardHeld() bool {
	through := c.d.f.HeldThrough(c.read, c.act)
	return slices.ContainsFunc(c.act.Holds, func(h summary.Hold) bool { return slices.Contains(through, h.Class) })
}

// underWritersLock: read and act of an atomic variable lie in one section of a lock that
// some writer holds.
//
//	s.mu.Lock()
//	if s.state.Load() == idle {
//		s.state.Store(busy)
//	}
//	s.mu.Unlock()
//
// That lock is meant to make them one step, and the others write when it does not
// matter, unless the act overwrites a final value of theirs.
func (c *candidate) underWritersLock() bool {
	if !c.info.Atomic {
		return false
	}
	through := c.heldThrough()
	return slices.ContainsFunc(c.info.Writers, func(w summary.Writer) bool { return w.Needs(through) }) && !c.overwritesFinal(through)
}

// overwritesFinal reports whether the act is decided by what was read not being a
// certain value, which somebody else stores without the lock that is held: the act
// overwrites that value, and it matters, as it was asked for.
func (c *candidate) overwritesFinal(through []accesspath.Location) bool {
	return c.sameCell() && slices.ContainsFunc(c.info.Writers, func(w summary.Writer) bool {
		return w.Const != "" && w.Const != c.act.Const && !w.Needs(through) && c.d.pkg.Concurrent(c.d.f, &w) && c.excludes(w.Const)
	})
}

// excludes reports whether control only comes to the act if what was read, maybe by a
// getter, is not the constant.
func (c *candidate) excludes(text string) bool {
	for _, br := range c.d.f.Branches(c.act) {
		side := branch.Side(br.Cond, func(f branch.Fact) bool {
			return slices.Contains(c.read.Values, f.Subject) && f.Const != nil && f.IsNot(f.Const) && f.Const.ExactString() == text
		})
		if side >= 0 && c.d.only(br, side, c.act.Instr.Block()) {
			return true
		}
	}
	return false
}
