package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// interferer returns a writer of the location that can run between the read and
// the act, or nil: it is concurrent with the function, and needs no lock that
// is held all the time from the one to the other.
func (d *detector) interferer(s *stale) *summary.Writer {
	through, taken, flags := d.heldThrough(s), d.keyTaken(s.read), d.flags(s)
	var own *summary.Writer
	writers := d.pkg.Writers(s.read, s.info)
	for i := range writers {
		w := &writers[i]
		if w.Needs(through) || !d.pkg.Concurrent(d.f, w) || !d.undoes(s, w) {
			continue
		}
		if taken && d.pkg.OnlyCalledBy(w, d.f) || d.tells(flags, w) {
			continue
		}
		if w.Pos.Pos == s.act.Pos.Pos && w.Pos.Pos.IsValid() {
			own = w
			continue
		}
		return w
	}
	return own
}

// tells reports whether the function of a writer also changes one of the flags that the
// act is decided by.
func (d *detector) tells(flags []accesspath.Location, w *summary.Writer) bool {
	return slices.ContainsFunc(flags, func(l accesspath.Location) bool {
		info := d.pkg.Location(l)
		return !info.Constant() && slices.ContainsFunc(info.Writers, func(o summary.Writer) bool { return o.Func == w.Func })
	})
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
		slice := d.pkg.Slice(d.f, *v)
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
func (d *detector) heldThrough(s *stale) []accesspath.Location {
	if s.data {
		return d.f.Order().HeldThrough(s.read, s.act)
	}
	return d.f.Order().HeldForward(s.read, s.act)
}

// underWritersLock reports whether read and act of an atomic variable lie in one
// passage through a lock that some writer holds: it is that lock that is meant to
// make them one step, and the others write when it does not matter.
func (d *detector) underWritersLock(s *stale) bool {
	through := d.heldThrough(s)
	return slices.ContainsFunc(s.info.Writers, func(w summary.Writer) bool { return w.Needs(through) })
}

// overwritesFinal reports whether the act is decided by what was read not being a
// certain value, which somebody else stores without the lock that is held here: the act
// overwrites that value, and it matters, as it was asked for.
func (d *detector) overwritesFinal(s *stale) bool {
	if !sameCell(s.read, s.act) {
		return false
	}
	through := d.heldThrough(s)
	return slices.ContainsFunc(s.info.Writers, func(w summary.Writer) bool {
		return w.Const != "" && w.Const != s.act.Const && !w.Needs(through) && d.pkg.Concurrent(d.f, &w) && d.excludes(s, w.Const)
	})
}

// excludes reports whether control only comes to the act if what was read, maybe by a
// getter, is not the constant.
func (d *detector) excludes(s *stale, text string) bool {
	for _, br := range d.pkg.Branches(s.act) {
		c, ok := br.Cond.(*ssa.BinOp)
		if !ok || c.Op != token.EQL && c.Op != token.NEQ || !slices.Contains(s.read.Values, plain(c.X)) {
			continue
		}
		k, ok := c.Y.(*ssa.Const)
		if ok && k.Value != nil && k.Value.ExactString() == text && d.only(br, boolInt(c.Op == token.EQL), s.act.Instr.Block()) {
			return true
		}
	}
	return false
}

// plain returns the value that v is but for its type.
func plain(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Convert:
		return plain(v.X)
	case *ssa.ChangeType:
		return plain(v.X)
	}
	return v
}

// splits reports whether control can reach the act from the read through the
// end of the passage that the read was made in.
func (d *detector) splits(s *stale) bool {
	if s.guard.Inner {
		return d.f.Order().Flows(s.read.Instr, s.act.Instr)
	}
	return d.f.Order().EndsBetween(s.read.Instr, s.act.Instr, s.guard.Path)
}
