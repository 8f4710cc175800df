package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// Wait-then-act: a function waits until something holds, in one critical section, and acts on that in a later one.
//
//	s.awaitRoom(n) // for s.used+n > s.limit { s.freed.Wait() }, under s.mu
//	s.charge(n)    // s.used += n, under s.mu: WRONG, others have waited for the same room
//
// The act uses up what was waited for: it changes the value back. An act that changes it further, or a rival that does, does
// no harm; nor does a wait for something that nobody takes back.
//
//	s.awaitCalm() // for s.used > s.high { s.freed.Wait() }
//	s.release(n)  // s.used -= n
//
// The act may also be on another variable: see mutual.go, and countsAfterDrain.

// awaits reports whether the act follows a wait for what was read, in the function or a callee, with no other write of the
// location between them: such a write is the act on what was waited for.
func (p *pair) awaits() bool {
	r, w, order := p.read, p.act, p.d.f.Order()
	if !r.Awaited() || r.Ord == w.Ord || !order.Flows(r.Instr, w.Instr) || p.sameCell() && !takesBack(r, wayOf(w), false) {
		return false
	}
	return !slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && sameCell(e, r) && e.Ord != w.Ord && (e.Ord == r.Ord || order.Flows(r.Instr, e.Instr) && order.Flows(e.Instr, w.Instr))
	})
}

// A way is the direction in which a write changes a value.
type way int

const (
	down    way = -1
	unknown way = 0
	up      way = 1
)

// wayOf returns the direction of a write of the function or of a callee. An amount is taken to be positive, and -n to be
// negative.
func wayOf(w *summary.Event) way {
	way := direction(w.Effect(), w.Const)
	if way != unknown || !w.Delta() {
		return way
	}
	adds := len(w.Added) > 0 || w.Callee != nil && w.Callee.Accesses[w.Index].AddedParams != 0
	if !adds || slices.ContainsFunc(w.Added, ssautil.IsNegative) {
		return down
	}
	return up
}

// direction returns the direction of a change.
func direction(effect summary.Effect, text string) way {
	switch effect {
	case summary.Removes, summary.Lowers:
		return down
	case summary.Fills, summary.Raises:
		return up
	}
	switch text {
	case "true":
		return up
	case "false", "0", "nil":
		return down
	}
	return unknown
}

// takesBack reports whether a change may end what a read has waited for. Of a wait whose direction is not known, the caller
// says it.
func takesBack(r *summary.Event, way way, otherwise bool) bool {
	less, more := r.AwaitedLess(), r.AwaitedMore()
	switch {
	case less == more:
		return otherwise
	case less:
		return way != down
	}
	return way != up
}

// breaksWait reports whether another function may take back what this one has waited for. It looks and writes in one section,
// as it is meant to be kept out by what it looks at, and does not do what the act does. A wait whose direction is
// not known is taken for one until nobody is there any more.
func (p *pair) breaksWait(o counterpart.Check) bool {
	actsAlike := slices.ContainsFunc(o.Func.Events, func(e *summary.Event) bool { return e.Writes() && e.Loc == p.act.Loc })
	return !actsAlike && takesBack(p.read, wayOf(o.Write), wayOf(o.Write) != down) && summary.SharePassage(o.Read, o.Write) && !p.isAnnounced(o)
}

// isAnnounced reports whether another function is kept from its write by what this one has written before it waited, or has
// waited for in the same call.
//
//	s.draining = true                  // before the wait: nobody comes in any more
//	for s.active > 0 { s.idle.Wait() }
//	…
//	s.closed = true
func (p *pair) isAnnounced(o counterpart.Check) bool {
	if p.d.announcedByCallers(o) {
		return true
	}
	return slices.ContainsFunc(p.d.f.Events, func(mark *summary.Event) bool {
		before := mark.Writes() && p.d.f.Order().Flows(mark.Instr, p.read.Instr)
		also := mark.Awaited() && mark.Loc != p.read.Loc && mark.Ord == p.read.Ord
		return (before || also) && asksFor(o, mark.Loc)
	})
}

// announcedByCallers reports whether all who call the function have announced it before.
func (d *detector) announcedByCallers(o counterpart.Check) bool {
	if d.pkg.Processes().IsRoot(d.f) {
		return false
	}
	called := false
	for _, g := range d.pkg.Funcs {
		i := slices.IndexFunc(g.Events, func(e *summary.Event) bool { return e.Callee == d.f.Sum })
		if i < 0 {
			continue
		}
		called = true
		if !slices.ContainsFunc(g.Events, func(mark *summary.Event) bool {
			return mark.Writes() && g.Order().Flows(mark.Instr, g.Events[i].Instr) && asksFor(o, mark.Loc)
		}) {
			return false
		}
	}
	return called
}

// asksFor reports whether a check also depends on another location, or has waited for it.
func asksFor(o counterpart.Check, l accesspath.Location) bool {
	for i, e := range o.Func.Events {
		waited := e.Awaited() && o.Func.Order().Flows(e.Instr, o.Write.Instr)
		if e.Loc == l && (waited || slices.Contains(o.Write.Control, i)) {
			return true
		}
	}
	return false
}
