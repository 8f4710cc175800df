package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// sealsLate: what is there in the end is read and used, and the flag that keeps others from changing it
// is only set in a later section.
//
//	best := a.leading()      // a.mu.Lock(); defer a.mu.Unlock(); return a.best
//	sell(a.lot, best)
//	a.close()                // a.mu.Lock(); a.closed = true; a.mu.Unlock()
//
// Who asks for the flag, and finds it clear, may change the value after it was read: the change is
// accepted, and nobody looks at it. The other order is right. If something else decides, after the read,
// whether the flag is set, the read was made for another reason.
func (p *pair) sealsLate() bool {
	r, w := p.read, p.act
	if r.Loc == w.Loc || r.Writes() || w.Reads() || w.Key != "" || w.Op&summary.Fixed == 0 || w.Empties() || !related(r.Base, w.Base) {
		return false
	}
	info := p.d.pkg.Location(w.Loc)
	return !info.Constant() && isFlag(info) && r.Key == "" && !p.d.owned(r) && p.isUsed() && !p.isReadLater() &&
		!p.isSealed() && !p.sealsOtherwise() && !p.isDecidedLater() && slices.ContainsFunc(p.info.Writers, p.asksForSeal)
}

// sealsOtherwise reports whether the section of the read sets a flag of the object itself.
func (p *pair) sealsOtherwise() bool {
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Op&summary.Fixed != 0 && !e.Empties() && e.Base == p.read.Base && summary.SharePassage(e, p.read)
	})
}

// isDecidedLater reports whether control comes to the act by a branch after the read that asks for something
// else than an error.
func (p *pair) isDecidedLater() bool {
	return slices.ContainsFunc(p.d.f.Branches(p.act), func(br *ssa.If) bool {
		return !asksForError(br.Cond) && p.d.f.Order().Flows(p.read.Instr, br)
	})
}

// isSealed reports whether the flag has been found set before: it goes from one state in which there are
// no writers to another.
func (p *pair) isSealed() bool {
	return slices.ContainsFunc(p.act.Control, func(i int) bool {
		e := p.d.f.Events[i]
		test := pair{d: p.d, read: e, readIndex: i, act: p.act}
		return e.Reads() && sameCell(e, p.act) && slices.ContainsFunc(test.facts(), func(f fact) bool {
			return f.equal && !slices.Contains([]string{"0", "false", "nil"}, f.to)
		})
	})
}

// isReadLater reports whether the function reads the same in the section of the act, or afterwards.
func (p *pair) isReadLater() bool {
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && sameCell(e, p.read) && (p.d.oneSection(e, p.act) || summary.SharePassage(e, p.act) || p.d.f.Order().Flows(p.act.Instr, e.Instr))
	})
}

// asksForSeal reports whether a writer of what was read in this package only writes if the flag is not set.
func (p *pair) asksForSeal(w summary.Writer) bool {
	return p.d.writesUnless(w, p.act)
}
