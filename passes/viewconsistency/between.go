package viewconsistency

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// The rules of this file say whether the two accesses are in two steps, and whether
// the code that has the view can run in between.

// oneInstruction: both accesses are made by one call. Whether the callee may take
// them apart is to be said there.
//
//	n := p.Norm() // reads p.x and p.y, each in a section of its own
func (c *candidate) oneInstruction() bool { return c.first.Ord == c.second.Ord }

// concurrent: the function with the view can run while this one does.
//
//	p.Set(1, 2) // before the first go statement
//	go p.print()
func (c *candidate) concurrent() bool {
	return c.d.pkg.Processes().ConcurrentView(c.d.f, c.first, c.view)
}

// confined: both functions write a field of the object without a lock, so that one
// goroutine at a time runs either.
//
//	s.mu.Lock(); lo := s.lo; s.mu.Unlock()
//	s.rounds++ // and where s.lo and s.hi are written together
//	s.mu.Lock(); hi := s.hi; s.mu.Unlock()
func (c *candidate) confined() bool {
	return c.d.pkg.Processes().ConfinedView(c.d.f, c.first.Base, c.view, c.first.Loc)
}

// handedOver: both functions have received their objects from channels that hand each object to one receiver, so
// that they have two objects.
//
//	slot := <-e.free // and where slot.size and slot.uses are written together
//	if slot.size() > e.maxSize || slot.uses() > e.maxUses { slot.renew() }
//	e.free <- slot
func (c *candidate) handedOver() bool {
	return c.d.pkg.Processes().HandedOverView(c.d.f, c.first, c.second, c.view)
}

// frozen: a flag that is never cleared has been found set, and the code with the view asks for it before it writes.
//
//	if !b.Sealed() { return errOpen }
//	return b.Votes(name) / b.Turnout() // where both are written unless b.sealed
func (c *candidate) frozen() bool { return c.d.pkg.Guards().FrozenView(c.d.f, c.first, c.view) }

// lockOfViewHeld: a lock is held from the one access to the other that is also held
// throughout the section of the view, so that this cannot come in between.
//
//	s.change.Lock() // as in Add and Remove, which write both under s.mu
//	defer s.change.Unlock()
//	n := s.Count()
//	return n - s.Table(name)
func (c *candidate) lockOfViewHeld() bool {
	return slices.ContainsFunc(c.d.f.Held(c.first, c.second), func(g lockset.Guard) bool {
		return slices.Contains(c.view.Locks, g.Class) && (concerns(g, c.first) || concerns(g, c.second))
	})
}

func concerns(g lockset.Guard, e *summary.Event) bool { return summary.Concerns(g, e.Loc, e.Base) }

// sectionEnds: control can come from the first access to the second through the end of
// the section of the first, without going round a loop.
//
//	for range n { // two rounds are two operations
//		s.mu.Lock()
//		v := s.w, or s.h
//		s.mu.Unlock()
//	}
func (c *candidate) sectionEnds() bool {
	if c.a.Inner {
		return c.d.f.Order().Exists(summary.Way{From: c.first.Instr, To: c.second.Instr, Forward: true})
	}
	return c.d.f.Order().Ends(c.first, c.second, c.a.Path, true)
}

// settingUp: the function is only run by main, tests and initializers, which write one
// thing after the other before others look.
//
//	func main() {
//		srv.SetHost(host)
//		srv.SetPort(port)
//		go srv.Run()
//	}
func (c *candidate) settingUp() bool { return c.d.pkg.Processes().Alone(c.d.f) }
