package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// harmless reports whether doing the act twice, or late, is as good as doing it
// once: the value is the same whoever writes it, and nothing else hangs on the
// decision.
func (d *detector) harmless(s *stale) bool {
	r, w := s.read, s.act
	if !sameCell(r, w) || d.interrupts(s) {
		return false // who waits for a change wants to be the one who acts
	}
	if w.Clock() {
		return true // coarse time stamps: whoever wins is right
	}
	if d.rebuilt(s) {
		return true
	}
	if d.setsIfDifferent(s) {
		return !d.otherEffects(s)
	}
	presence := d.testsPresence(s)
	if w.Op&summary.Delete != 0 {
		return presence && accesspath.SameElement(r.Key, w.Key) && !d.otherEffects(s)
	}
	if w.Op&summary.Fixed != 0 || w.Pure() && presence {
		return !d.otherEffects(s)
	}
	return false
}

// besides reports whether the act only goes with another write in its passage,
// of what was read, that is harmless.
func (d *detector) besides(s *stale) bool {
	if sameCell(s.read, s.act) {
		return false
	}
	for _, w := range d.f.Events {
		if w != s.act && w.Writes() && w.Ord == s.act.Ord && sameCell(s.read, w) && slices.Contains(w.Control, s.readIndex) {
			other := *s
			other.act = w
			return d.harmless(&other)
		}
	}
	return false
}

// setsIfDifferent reports whether the act sets what was read to the value that
// it was compared with: if x != v { x = v }.
func (d *detector) setsIfDifferent(s *stale) bool {
	if len(s.act.Inputs) == 0 {
		return false
	}
	compared := false
	for _, c := range d.pkg.Conditions(s.act) {
		if !d.pkg.Slice(d.f, c).HasAny(s.read.Values) {
			continue
		}
		op, ok := c.(*ssa.BinOp)
		if !ok || op.Op != token.EQL && op.Op != token.NEQ {
			return false
		}
		other := op.X
		if d.pkg.Slice(d.f, op.X).HasAny(s.read.Values) {
			other = op.Y
		}
		if _, isConst := other.(*ssa.Const); isConst || !slices.Contains(s.act.Inputs, other) {
			return false
		}
		compared = true
	}
	return compared
}

// testsPresence reports whether the decision to act only asks whether there was
// a value, or compares it with a constant.
func (d *detector) testsPresence(s *stale) bool {
	for _, c := range d.pkg.Conditions(s.act) {
		if d.pkg.Slice(d.f, c).HasAny(s.read.Values) && !d.isPresence(c, s.read) {
			return false
		}
	}
	return true
}

func (d *detector) isPresence(c ssa.Value, r *summary.Event) bool {
	switch c := c.(type) {
	case *ssa.Extract:
		return c.Index > 0
	case *ssa.Call:
		// A getter that says whether there is one.
		return r.Op&summary.Presence != 0 || c.Type().String() == "bool"
	case *ssa.UnOp:
		return c.Op == token.NOT && d.isPresence(c.X, r) || c.Op == token.MUL
	case *ssa.BinOp:
		_, x := c.X.(*ssa.Const)
		_, y := c.Y.(*ssa.Const)
		return (x || y) && (c.Op == token.EQL || c.Op == token.NEQ)
	case *ssa.Phi:
		return c.Type().String() == "bool"
	}
	return false
}

// otherEffects reports whether something else that others can see depends on
// the decision.
func (d *detector) otherEffects(s *stale) bool {
	for _, e := range d.f.Events {
		if e.Writes() && len(e.Holds) > 0 && !sameCell(e, s.act) && slices.Contains(e.Control, s.readIndex) {
			return true
		}
	}
	conds := make(map[ssa.Value]bool)
	for _, c := range d.pkg.Conditions(s.act) {
		if d.pkg.Slice(d.f, c).HasAny(s.read.Values) {
			conds[c] = true
		}
	}
	for _, b := range d.f.Fn.Blocks {
		if !d.pkg.DecidedBy(b, conds) {
			continue
		}
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Send, *ssa.Go:
				return true
			case ssa.CallInstruction:
				c := instr.Common()
				if bi, ok := c.Value.(*ssa.Builtin); ok {
					if bi.Name() == "close" {
						return true
					}
					continue
				}
				if c.StaticCallee() == nil && !c.IsInvoke() {
					return true
				}
			}
		}
	}
	return false
}
