package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// Two functions exclude each other by checks if each of them looks at what the other one writes
// before it writes what the other one looks at. It is write skew (Berenson and others, A critique
// of ANSI SQL isolation levels, section 4.2, A5B) with decisions for values:
//
//	if s.compacting() { return errBusy }   // Backup: reads s.tables under s.mu
//	s.backups.Add(1)
//
//	if s.backups.Load() > 0 { return errBusy } // Compact
//	s.mu.Lock(); s.tables[name] = true; s.mu.Unlock()
//
// If one of them has a check and an act that are not one step, both may find that they are alone.

// isMutual: the act is decided by the read of another variable, and another function decides
// the other way round whether to write what was read.
func (p *pair) isMutual() bool { return len(p.opposites()) > 0 }

// opposites returns the decisions of other functions by which they write what was read, if
// the act makes these come out the other way.
func (p *pair) opposites() []counterpart.Check {
	r, w := p.read, p.act
	if p.data || !p.decides && !p.awaited || p.sameCell() {
		return nil
	}
	checks := p.d.others.Checks(w.Loc, r.Loc)
	if len(checks) == 0 {
		return nil
	}
	elements := p.asksForElements()
	if !p.awaited && (!p.d.decides(r, w) || !elements && !p.d.f.LeadsTo(r, w.Instr.Block())) {
		return nil
	}
	if r.Base.Within(w.MemberPath()) || w.Base.Within(r.MemberPath()) || !p.awaited && len(p.facts()) == 0 && !elements {
		return nil
	}
	act := p.d.f.Writer(w)
	return slices.DeleteFunc(slices.Clone(checks), func(o counterpart.Check) bool {
		if !p.isOpposite(o) || p.isPartOf(o.Func) || elements && o.Write.Const != "" || !elements && !o.Direct || p.awaited && !p.breaksWait(o) || !(finds(r, w) && finds(o.Read, o.Write) || sees(r, o.Write) && sees(o.Read, w)) {
			return true
		}
		there := *p.d
		there.f = o.Func
		opposite := &candidate{pair: pair{d: &there, read: o.Read, act: o.Write, readIndex: o.ReadIndex, info: p.d.pkg.Location(w.Loc), decides: true}, link: mutualCheck}
		return len(opposite.facts()) == 0 || !rival{d: &there, writer: &act, candidate: opposite}.undoes()
	})
}

// mutualRivals returns the rivals of a candidate that is a mutual check.
func (c *candidate) mutualRivals() []rival {
	held := c.heldThrough()
	var out []rival
	for _, o := range c.opposites() {
		by := o.Writer
		out = append(out, rival{d: c.d, writer: &by, base: c.read.Base, held: held, candidate: c})
	}
	return out
}

// isOpposite reports whether a decision is made the other way round: by another function about the
// same two objects, or by another run of this one, for which they have changed places.
//
//	func (s *Section) enter(with, against *line) bool // s.enter(&s.up, &s.down), s.enter(&s.down, &s.up)
func (p *pair) isOpposite(o counterpart.Check) bool {
	r, w := p.read, p.act
	if o.Func != p.d.f {
		return alike(r.Base, w.Base, o.Write.Base, o.Read.Base)
	}
	return o.Read == r && o.Write == w && r.Loc == w.Loc && isParameter(r.Base) && isParameter(w.Base)
}

// isParameter reports whether an object is what the function is given.
func isParameter(p accesspath.Path) bool {
	return p.IsParam() && p.Root() == p
}

// finds reports whether a function decides about an element by the one under the same key.
func finds(r, w *summary.Event) bool { return accesspath.SameElement(r.Key, w.Key) && r.Key != "" }

// sees reports whether a read finds what a function writes elsewhere: an element under a key that
// only one of the two functions knows is another one.
func sees(r, w *summary.Event) bool {
	return r.Key == "" || r.Key.HasAny() || accesspath.SameElement(r.Key, w.Key) && isConstKey(r.Key)
}

func isConstKey(k accesspath.Key) bool {
	_, ok := k.Const()
	return ok
}

// alike reports whether two objects of one function stand to each other as two objects of
// another function do: they are the same object, parts of one, or global variables.
func alike(a, b, x, y accesspath.Path) bool {
	if a.Root() != b.Root() && !a.IsGlobal() {
		return false
	}
	toA, toB := accesspath.Apart(a, b)
	toX, toY := accesspath.Apart(x, y)
	return toA == toX && toB == toY
}
