package stalevalue

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// The act may be made by another goroutine, which receives what the function sends, or which it
// starts: see package handoff.
//
//	s.mu.Lock(); n := s.total; s.mu.Unlock()
//	s.sizes <- n + by // for n := range s.sizes { s.mu.Lock(); s.total = n; s.mu.Unlock() }
//
// The section of the read is over by then, also if the function sends inside of it: the receiver
// has to wait for the lock. What the function holds until the act has been made, as it waits for
// an answer, keeps those rivals out that need it. A receiver that acts for one message after the
// other is a rival of the function only as it acts for another sender.

// atDistance limits a rule to acts that another goroutine makes.
func atDistance(c *candidate) bool { return c.distant != nil }

// receiverCompares: the goroutine that acts compares what it was sent with what is there.
//
//	if u.gen == s.gen { s.total = u.total; s.gen++ }
func (c *candidate) receiverCompares() bool { return c.distant.Compared }

// receiverAdds: the goroutine that acts changes what is there by what it was sent.
//
//	s.mu.Lock(); s.total += n; s.mu.Unlock()
func (c *candidate) receiverAdds() bool { return c.act.Delta() }

// heldUntilAct returns the locks that are held from the read until the act has been made, if the
// function waits for it.
func (c *candidate) heldUntilAct() []accesspath.Location {
	if c.distant.Await == nil {
		return nil
	}
	end := &summary.Event{Instr: c.distant.Await}
	c.d.f.Flow.Walk(func(instr ssa.Instruction, ord int, st *lockset.State) {
		if instr != end.Instr {
			return
		}
		end.Ord, end.Holds = ord, c.d.f.HoldsAt(st)
	})
	return c.d.f.HeldForward(c.read, end)
}

// hasNoSender: the rival is the goroutine that acts, and no other sender can make it act in
// between: none runs at the same time, or they all hold a lock that is held until the act.
//
//	s.order.Lock()
//	s.sets <- set{s.get() + n, done}; <-done // all others that send hold s.order
//	s.order.Unlock()
func (r rival) hasNoSender() bool {
	c := r.candidate
	by := c.d.pkg.Funcs[c.distant.Receiver.ID]
	if !c.distant.Sent || r.writer.Fn != by.ID && !c.d.pkg.Guards().OnlyCalledBy(r.writer, by) {
		return false
	}
	for _, s := range c.d.pkg.Senders(c.distant) {
		own := s.Func == c.d.f
		if own && !c.d.pkg.Processes().BesideItself(c.d.f, c.read.Base) || !own && !c.d.pkg.Processes().MayRunTogether(c.d.f, s.Func) {
			continue
		}
		if !slices.ContainsFunc(s.Held, func(l accesspath.Location) bool { return slices.Contains(r.held, l) }) {
			return false
		}
	}
	return true
}

// waitsForClaim: the rival is another run of the function, or the goroutine that this one has
// started, and the section of the read has tested and set a flag that the goroutine clears.
//
//	s.mu.Lock(); if s.busy { … }; s.busy = true; n := s.n; s.mu.Unlock()
//	go func() { s.mu.Lock(); s.n = next(n); s.busy = false; s.mu.Unlock() }()
func (r rival) waitsForClaim() bool {
	c := r.candidate
	by := c.distant.By
	if r.writer.Fn != by.ID && r.writer.Fn != c.d.f.ID {
		return false
	}
	return slices.ContainsFunc(c.d.f.Events, func(set *summary.Event) bool {
		tested := func(i int) bool { return c.d.f.Events[i].Loc == set.Loc && summary.SharePassage(c.d.f.Events[i], set) }
		return set.Writes() && !set.Empties() && summary.SharePassage(set, c.read) && slices.ContainsFunc(set.Control, tested) &&
			slices.ContainsFunc(by.Events, func(w *summary.Event) bool { return w.Loc == set.Loc && w.Empties() })
	})
}

// ofDistant limits a rule to the rivals of acts that another goroutine makes.
func ofDistant(r rival) bool { return ofCandidate(r) && r.candidate.distant != nil }

// distance says who makes the act.
func (c *candidate) distance() string {
	what := "the goroutine that is started here"
	if c.distant.Sent {
		what = summary.Name(c.distant.By.Fn) + ", which receives what is sent here,"
	}
	switch c.link {
	case removedElement, outdatedRemoval:
		return fmt.Sprintf("another goroutine may change it before %s removes what it was checked for", what)
	case updateOfCell:
		return fmt.Sprintf("an update by another goroutine is lost when %s writes it", what)
	}
	return fmt.Sprintf("another goroutine may change it before %s writes it", what)
}
