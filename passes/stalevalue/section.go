package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// inOneSection: the two accesses also lie in one section of another lock.
//
//	t.mu.Lock()
//	if o.empty() { // under o.mu
//		delete(t.objects, o.id)
//	}
//	t.mu.Unlock()
//
// A goroutine that looks the object up has to wait for that lock.
func (c *candidate) inOneSection() bool { return c.d.oneSection(c.read, c.act) }

// comesAround: the section of the read only ends, on the way to the act, where a loop
// goes round to before the read.
//
//	for {
//		s.mu.Lock()
//		if s.ready {
//			s.ready = false
//			break
//		}
//		s.mu.Unlock()
//	}
//
// The read that goes stale has only decided to go round; the act is decided anew. Behind the loop it is not:
//
//	for _, addr := range addrs {
//		s.mu.Lock()
//		if s.closed { s.mu.Unlock(); return }
//		s.mu.Unlock()
//	}
//	s.mu.Lock(); s.state = failed; s.mu.Unlock() // after the last round
//
// Nor is it if the loop has put what is to be removed into a list.
func (c *candidate) comesAround() bool {
	if c.link == doubleStart && c.claimedByStarted() {
		return !c.d.f.Order().Exists(summary.Way{From: c.read.Instr, To: c.act.Instr, Forward: true})
	}
	return c.collected == nil && !c.ofEach && !(c.link == outdatedRemoval && c.data) && !c.d.actsAfter(c.read, c.act, c.guard, c.isRepeated())
}

// isRepeated reports whether the act is decided anew after a round of a loop: the read is made again after the act, in the
// next round of a loop that has both, or is of another element in each round, or the section of the act decides about it, too.
func (c *candidate) isRepeated() bool {
	return c.read.Key != "" || c.read.Base.IsLocal() || len(c.read.Base.Keys()) > 0 || c.d.f.Order().Flows(c.act.Instr, c.read.Instr) ||
		slices.ContainsFunc(c.act.Control, func(i int) bool { return i != c.readIndex && summary.SharePassage(c.d.f.Events[i], c.act) })
}

// actedOn: the callee that makes the read goes on to act on it in a later section of its
// own.
//
//	s.grow() // reads s.n in one section, and writes it in another
//	s.mu.Lock(); s.n = 0; s.mu.Unlock()
//
// What may be wrong is reported in the callee.
func (c *candidate) actedOn() bool {
	r := c.read
	return r.Callee != nil && slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return w.Ord == r.Ord && w.Writes() && w.Loc == r.Loc && accesspath.Same(w.Base, r.Base) &&
			(slices.Contains(w.Data, c.readIndex) || slices.Contains(w.Control, c.readIndex)) && !summary.SharePassage(w, r)
	})
}

// onlyLooks: the section of the read changes nothing. One that does is an operation by
// itself, whose result is meant to be used later.
//
//	if s.advance() { // s.pos++; return s.pos < s.end
//		s.mu.Lock(); s.pos--; s.done = true; s.mu.Unlock()
//	}
func (c *candidate) onlyLooks() bool {
	return !slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool { return e.Writes() && summary.SharePassage(e, c.read) })
}

// onlyKey: nothing but the key under which something is written depends on the read.
//
//	s.mu.Lock(); id := s.current; s.mu.Unlock()
//	s.mu.Lock(); s.hits[id] = now; s.mu.Unlock()
//
// It is about the element that was current.
func (c *candidate) onlyKey() bool { return !c.decides && !c.valueDepends() }

// follows: the function has written what was read before it comes to the act. Then that
// write is the act on the stale value.
//
//	s.mu.Lock(); n := s.n; s.mu.Unlock()
//	s.mu.Lock(); s.n = n + 1; s.mu.Unlock() // reported
//	s.mu.Lock(); s.n = n + 2; s.mu.Unlock()
func (a *firstAct) follows() bool {
	return a.sameCell() && slices.ContainsFunc(a.found, func(o *candidate) bool {
		return o.read == a.read && o.act.Instr != a.act.Instr && o.sameCell() &&
			a.d.f.Order().MustPass(a.read.Instr, o.act.Instr, a.act.Instr)
	})
}

// A firstAct is a candidate among all that have been found in the function.
type firstAct struct {
	*candidate
	found []*candidate
}

// inSectionOf reports whether an instruction is in the section of a later access, under one of its own guards that counts.
func (d *detector) inSectionOf(instr ssa.Instruction, e *summary.Event, counts func(summary.Hold) bool) bool {
	return slices.ContainsFunc(e.Holds, func(h summary.Hold) bool { return counts(h) && d.spans(h, instr, e) })
}

// spans reports whether a lock that is held at an access of the function is held from an instruction on.
func (d *detector) spans(h summary.Hold, instr ssa.Instruction, e *summary.Event) bool {
	order := d.f.Order()
	return !h.Inner && slices.Contains(d.heldAt(instr), h.Class) && order.Flows(instr, e.Instr) && !order.EndsBetween(instr, e.Instr, h.Path)
}
