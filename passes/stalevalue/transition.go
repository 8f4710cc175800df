package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// A count decides about a transition: the goroutine that counts to one begins something, and the one that counts to zero ends it.
//
//	if t.users.Add(1) == 1 {  // Join
//		t.mu.Lock(); t.online = true; t.mu.Unlock()
//	}
//
//	if t.users.Add(-1) == 0 { // Leave
//		t.mu.Lock(); t.online = false; t.mu.Unlock()
//	}
//
// The counts are in one order, and what they decide about may be done in the other one: another goroutine joins, as the first,
// between the two steps of Leave, which then ends what has just begun. To count and to act in one section of a lock is right,
// if both functions do. A variable that somebody also sets, to keep others out or to begin anew, is no plain count. An object that nobody counts up again after it has had no user has no such transition: see
// isRevivable for one that others may still find.

// crossesTransition: the section of the read counts, and decides about the act; another function counts the other way, and
// decides by that about another write of what the act writes.
func (p *pair) crossesTransition() bool {
	if !p.depends() || !p.decides || p.data || p.act.Delta() || !p.d.decides(p.read, p.act) || !p.isCount() {
		return false
	}
	mine := counted(p.d.f, p.read)
	return mine != summary.Anything && slices.ContainsFunc(p.d.others.Checks(p.read.Loc, p.act.Loc), func(o counterpart.Check) bool {
		theirs := counted(o.Func, o.Read)
		return theirs != summary.Anything && theirs != mine && o.Write.Key == p.act.Key && alike(p.read.Base, p.act.Base, o.Read.Base, o.Write.Base)
	})
}

// isCount reports whether all writers of the variable that was read add to it or subtract from it. An element that is a count may
// also be inserted if it is absent.
func (p *pair) isCount() bool {
	return !slices.ContainsFunc(p.info.Writers, func(w summary.Writer) bool {
		_, e := p.d.pkg.WriteOf(&w)
		compares := e != nil && e.Op&summary.Compare != 0
		return e == nil || !(e.Delta() && !compares || e.Key != "" && compares)
	})
}

// counted returns the direction in which a function counts in the section of a read what it reads there, or Anything.
func counted(f *summary.Func, r *summary.Event) summary.Effect {
	for _, e := range f.Events {
		if e.Writes() && e.Delta() && sameCell(e, r) && (e == r || summary.SharePassage(e, r)) {
			if is := e.Effect(); is == summary.Raises || is == summary.Lowers {
				return is
			}
		}
	}
	return summary.Anything
}
