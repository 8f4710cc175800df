package stalevalue

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/summary"
)

// A claim excludes those who test for it. A rival that stores, without a test for the
// claim, a constant which the check has excluded comes in between nevertheless:
//
//	c.mu.Lock()
//	if c.state == closed { … return }
//	c.state = dialing // the claim
//	c.mu.Unlock()
//	…
//	c.mu.Lock(); c.state = ready; c.mu.Unlock() // Close may have set closed
//
// What it stores was asked for, and the act goes on as if it were not there.

// isBypassed reports whether a rival of the candidate bypasses the claim which the section
// of the read has made.
func (c *candidate) isBypassed() bool { return c.anyRival(rival.bypassesAll) || c.givesUp() }

// givesUp reports whether the section of the read leaves in the place that the act writes what a rival has to find there to
// write: that is no claim, but the end of one. To leave nothing, in a list or a reference, is to take what was there.
//
//	s.release(seat) // s.seats[seat] = ""
//	if err := s.take(other); err != nil {
//		s.restore(seat, me) // WRONG: who has found "" there may have taken it
//	}
func (c *candidate) givesUp() bool {
	return slices.ContainsFunc(c.claimed(), func(set *summary.Event) bool {
		return set.Const != "" && set.Const != "nil" && sameCell(set, c.act) && c.anyRival(func(r rival) bool { return r.waitsFor(set) && r.runs() })
	})
}

// waitsFor reports whether the rival only writes where it finds what set stores, and stores something else.
func (r rival) waitsFor(set *summary.Event) bool {
	f, w := r.d.pkg.WriteOf(r.writer)
	if w == nil || w.Const == set.Const {
		return false
	}
	in := r.d.in(f)
	return slices.ContainsFunc(w.Control, func(i int) bool {
		test := f.Events[i]
		if !test.Reads() || test.Loc != set.Loc || !in.oneSection(test, w) && !summary.SharePassage(test, w) {
			return false
		}
		p := pair{d: in, read: test, readIndex: i, act: w}
		return slices.ContainsFunc(p.facts(), func(f fact) bool { return f.equal && f.to == set.Const })
	})
}

// bypassesAll reports whether the rival runs in spite of all claims.
func (r rival) bypassesAll() bool {
	return r.storesExcluded() && !slices.ContainsFunc(r.candidate.claimed(), r.asksFor) && r.runs()
}

// storesExcluded reports whether the rival stores a constant which the check has excluded,
// and the act does not store itself.
func (r rival) storesExcluded() bool {
	c, w := r.candidate, r.writer
	return w.Const != "" && (!c.sameCell() || w.Const != c.act.Const) && c.excludes(w.Const)
}

// claimed returns the writes that the section of the read makes to what it has tested.
func (c *candidate) claimed() []*summary.Event {
	return slices.DeleteFunc(slices.Clone(c.d.f.Events), func(set *summary.Event) bool {
		return !set.Writes() || set != c.read && !summary.SharePassage(set, c.read) ||
			!sameCell(set, c.read) && !slices.ContainsFunc(set.Control, func(i int) bool { return sameCell(c.d.f.Events[i], set) })
	})
}

// asksFor reports whether the rival only writes if a claim has not been made.
func (r rival) asksFor(claim *summary.Event) bool {
	return r.writer.Fn < 0 || r.d.writesUnless(*r.writer, claim)
}

// writesUnless reports whether a writer, in a function of the package, is decided by a test
// that may exclude what set stores.
func (d *detector) writesUnless(w summary.Writer, set *summary.Event) bool {
	return d.writesNotAt(w, set.Loc, set.Const)
}

// writesNotAt reports whether a writer tests a location, and may not write where it has a value; or waits, in the section of the write,
// until the location is as it has to be.
func (d *detector) writesNotAt(w summary.Writer, l accesspath.Location, value string) bool {
	f, e := d.pkg.WriteOf(&w)
	if e == nil {
		return false
	}
	writer := d.in(f)
	return writer.tests(e, l, value) || slices.ContainsFunc(f.Events, func(test *summary.Event) bool {
		return test.Reads() && test.Loc == l && accesspath.Same(test.Base, e.Base) && writer.oneSection(test, e) && writer.f.IsWaitedFor(test, e)
	})
}

// tests reports whether a write is decided by a test of a location, in its section, that
// may exclude a value; the text of an unknown one is "".
func (d *detector) tests(w *summary.Event, l accesspath.Location, value string) bool {
	return slices.ContainsFunc(w.Control, func(i int) bool {
		test := d.f.Events[i]
		if !test.Reads() || test.Loc != l || isNoLook(test, w) || !d.oneSection(test, w) && !summary.SharePassage(test, w) {
			return false
		}
		p := pair{d: d, read: test, readIndex: i, act: w}
		facts := p.facts()
		return value == "" || len(facts) == 0 || slices.ContainsFunc(facts, func(f fact) bool { return f.mayExclude(value) })
	})
}

// isNoLook reports whether a test is that of a setter in the place that it sets, which only asks whether there is
// anything to do.
func isNoLook(test, w *summary.Event) bool {
	return w.Callee != nil && test.Ord == w.Ord && test.Loc == w.Loc && !w.Callee.Accesses[w.Index].Traits.Has(summary.Looked)
}

// mayExclude reports whether a variable of which the fact holds may not have a value.
func (f fact) mayExclude(value string) bool {
	return f.above || f.to == present || f.equal != f.is(value)
}

// admitsSeveral reports whether a claim is a count that a test keeps below some limit, and
// a rival comes in between that does not test it:
//
//	s.mu.Lock()
//	if s.n == limit || s.seen[k] { … return }
//	s.n++
//	s.mu.Unlock()
//	s.mu.Lock(); s.seen[k] = true; s.mu.Unlock()
//
// Several goroutines are counted at the same time. That is a shared claim, which binds
// those who wait for the count.
func (c *candidate) admitsSeveral(test, set *summary.Event) bool {
	return test != c.read && test.Callee == nil && set.Delta() && !c.isFirst(test) &&
		c.anyRival(func(r rival) bool { return !r.asksFor(set) && r.runs() })
}

// isFirst reports whether control only comes to the act for one value of a count.
func (c *candidate) isFirst(count *summary.Event) bool {
	one := constant.MakeInt64(1)
	return slices.ContainsFunc(c.d.f.Branches(c.act), func(br *ssa.If) bool {
		side := branch.Side(br.Cond, func(f branch.Fact) bool {
			return slices.Contains(count.Values, f.Subject) && f.Const != nil &&
				(f.Relation == branch.Equal || f.Relation == branch.Below && constant.Compare(f.Const, token.LEQ, one))
		})
		return side >= 0 && c.d.only(br, side, c.act.Instr.Block())
	})
}
