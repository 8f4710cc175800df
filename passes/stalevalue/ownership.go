package stalevalue

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// takes: the section of the read overwrites what it has read.
//
//	s.mu.Lock(); batch := s.pending; s.pending = nil; s.mu.Unlock()
//	s.mu.Lock(); s.pending = append(s.pending, failed(batch)...); s.mu.Unlock()
//
// What was read belongs to the function, and does not go stale.
func (c *candidate) takes() bool { return c.reserves() && !c.stays() && !c.isBypassed() }

// reservesOnly: the section of the read adds to what it reads, or takes away from it.
//
//	s.mu.Lock(); id := s.next; s.next++; s.mu.Unlock()
//	s.mu.Lock(); s.byID[id] = x; s.mu.Unlock()
//
// The value that it finds is reserved for the function. It can go stale as a number to
// count on with: if the act adds it to what is there, or by it removes an object.
//
// It goes stale, too, if the act overwrites the place by what is computed from it, and the
// section has left there what it read:
//
//	s.mu.Lock(); s.tokens += earned(); n := s.tokens; s.mu.Unlock()
//	s.mu.Lock(); s.tokens = n - 1; s.mu.Unlock()
//
// The same holds for a count that others may raise before it is removed.
func (c *candidate) reservesOnly() bool {
	return c.reserves() && !c.grows() && !c.isBypassed() && !(c.link == updateOfCell && c.stays() && !c.isDelta()) && !c.removesCount()
}

// takesOwnOut: the act takes an element out of a container whose key is an object that the function, or a callee, has made. What has changed
// elsewhere makes no difference to it: it is its own.
//
//	w := b.watch() // w := make(chan struct{}); b.waiters[w] = true
//	if b.has(after) {
//		b.unwatch(w) // delete(b.waiters, w)
//	}
//
// A decision by what others have in the container is another thing: if two find that they are not the last, nobody is.
func (c *candidate) takesOwnOut() bool {
	at := c.act.Key.Path()
	key := c.d.f.Res.Definition(at)
	return c.act.Op&summary.Delete != 0 && c.act.Loc != c.read.Loc && at == at.Root() && key != nil && isNew(key, limit.NotifyDepth)
}

// isNew reports whether v is an allocation, of its function or of a callee, whether or not it has been published since.
func isNew(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.Alloc:
		return v.Heap
	case *ssa.MakeChan, *ssa.MakeMap:
		return true
	case *ssa.Call, *ssa.Extract:
		call, i := ssautil.CallOf(v)
		if call == nil || depth == 0 {
			return false
		}
		maker := ssautil.Target(&call.Call)
		if maker == nil {
			return false
		}
		found := false
		for _, ret := range ssautil.Returns(maker) {
			switch result := ssautil.Returned(ret, i); {
			case ssautil.IsNil(result):
			case !isNew(result, depth-1):
				return false
			default:
				found = true
			}
		}
		return found
	}
	return false
}

// removesCount reports whether the act removes an element that is a count, as the section of
// the read has lowered it to some number and left it there.
//
//	s.mu.Lock(); s.refs[k]--; n := s.refs[k]; s.mu.Unlock()
//	if n == 0 { s.mu.Lock(); delete(s.refs, k); s.mu.Unlock() }
//
// Whoever raises it in between goes on to use what is not counted. The count may be a field of the
// element: who puts a changed copy there may have raised it.
func (c *candidate) removesCount() bool {
	return c.link == decisionOnCell && c.act.Op&summary.Delete != 0 && c.act.Key != "" && c.stays() &&
		c.anyRival(func(r rival) bool {
			return (r.writer.Effect == summary.Raises || r.updatesElement()) && r.runs()
		})
}

// updatesElement reports whether the rival puts a changed copy of the element in its place, in another
// function than that which has made the count.
func (r rival) updatesElement() bool {
	w := r.writer
	if r.candidate.read.Callee != nil && w.Func == r.candidate.read.Callee.Name || w.Func == r.d.f.Sum.Name {
		return false
	}
	f, e := r.d.pkg.WriteOf(w)
	return e != nil && updatesElement(f, e)
}

// updatesElement reports whether an access puts an element in the place of one that it was computed
// from.
//
//	u := s.use[k]
//	u.n++
//	s.use[k] = u
func updatesElement(f *summary.Func, w *summary.Event) bool {
	return w.Writes() && w.Key != "" && w.Op&summary.Delete == 0 && !w.Shrinks() && slices.ContainsFunc(w.Data, func(i int) bool {
		return sameCell(f.Events[i], w)
	})
}

// reserves reports whether the section of the read goes on to write what was read, or
// has just counted there. A callee that has found nothing to take says so by its result.
func (c *candidate) reserves() bool {
	return c.read.Writes() || c.d.owned(c.read) && !c.hasTakenNothing()
}

// hasTakenNothing reports whether the callee that has read what is there has written nothing to it when
// control comes to the act.
//
//	if j := s.pop(); j == nil { s.mu.Lock(); s.idle++; s.mu.Unlock() }
func (c *candidate) hasTakenNothing() bool {
	if c.read.Callee == nil {
		return false
	}
	writes := false
	for _, w := range c.d.f.Events {
		if w.Ord != c.read.Ord || !w.Writes() || w.Loc != c.read.Loc || w.Base != c.read.Base {
			continue
		}
		if c.d.f.MayHaveMade(w, c.act.Instr.Block()) {
			return false
		}
		writes = true
	}
	return writes
}

// stays reports whether all that the section of the read writes to the cell, from the read
// on, is relative to what is there: the value that it comes to is in place when the section
// ends.
func (c *candidate) stays() bool {
	written := false
	order := c.d.f.Order()
	for _, w := range c.d.f.Events {
		if w.Writes() && sameCell(c.read, w) && (w == c.read || summary.SharePassage(c.read, w)) {
			if before := w.Ord != c.read.Ord && order.Flows(w.Instr, c.read.Instr) && !order.Flows(c.read.Instr, w.Instr); !before && !w.Delta() && !updatesElement(c.d.f, w) {
				return false
			}
			written = true
		}
	}
	return written
}

// owned reports whether the section of r, under a guard of its location, goes
// on to write what was read, or has just counted there.
func (d *detector) owned(r *summary.Event) bool {
	if !r.Owned() || r.Callee != nil {
		return r.Owned()
	}
	info := d.pkg.Location(r.Loc)
	for _, w := range d.f.Events {
		if !w.Writes() || w.Loc != r.Loc || w.Ord == r.Ord || w.Base != r.Base || !accesspath.KeysOverlap(r.Key, w.Key) {
			continue
		}
		for _, h := range r.Holds {
			g := w.Hold(h.Path)
			if g == nil || !slices.Contains(info.Guards, h.Class) {
				continue
			}
			if d.f.Order().StaysBetween(r.Instr, w.Instr, h.Path) || w.Delta() && d.f.Order().StaysBetween(w.Instr, r.Instr, h.Path) {
				return true
			}
		}
	}
	return false
}

// claims: the section of the read tests and sets a flag that others test.
//
//	s.mu.Lock()
//	if s.busy { s.mu.Unlock(); return }
//	s.busy = true
//	s.mu.Unlock()
//	s.mu.Lock(); s.state = next; s.mu.Unlock()
//
// Whoever comes second does not get to the act. That holds for a value that was read in that
// section, too, if the flag is set to a constant, and not cleared in a section before the act. The same holds for a claim of an element
// in an earlier section:
//
//	h := s.claim() // for _, h := range s.hosts { if !h.busy { h.busy = true; return h } }
//	d := s.delay(h)
//	s.setDelay(h, 2*d)
//	s.yield(h) // h.busy = false
//
// All rivals have to ask for it. An atomic test-and-set of another package, such as that of the references of an open file, is no claim of
// the location that was read.
func (c *candidate) claims() bool {
	for _, i := range c.act.Control {
		test := c.d.f.Events[i]
		earlier := len(test.Base.Keys()) > 0 && test.Base == c.read.Base && c.d.f.Order().Flows(test.Instr, c.read.Instr)
		if !test.Reads() || !(test == c.read || summary.SharePassage(test, c.read) || earlier) {
			continue
		}
		if test.Op&summary.Content != 0 {
			continue // to sort a list, or to take out of it, is no claim
		}
		if sameCell(test, c.read) && c.removesCount() {
			continue // nor is it to count
		}
		if c.link == updateOfCell && isOfElement(test, c.read) {
			continue // others claim another element
		}
		atOnce := test.Writes() && test.Loc.Pkg() == c.read.Loc.Pkg() && !c.admitsSeveral(test, test)
		if atOnce || c.setsAfter(test, i, earlier) {
			return !c.isBypassed()
		}
	}
	return false
}

// setsAfter reports whether the function sets the flag which access i has tested. A claim of an earlier section, or of a value that the act
// writes back, is a constant that is kept until the act, and no rival ignores it; nor does one ignore a claim that the callee with the act makes.
// To empty a location other than the one that was read is no claim: other goroutines fill it again.
func (c *candidate) setsAfter(test *summary.Event, i int, earlier bool) bool {
	strict := earlier || c.link == updateOfCell
	return slices.ContainsFunc(c.d.f.Events, func(set *summary.Event) bool {
		switch {
		case !c.sets(test, set, i) || c.admitsSeveral(test, set) || !sameCell(set, c.read) && set.Empties():
			return false
		case strict && (set.Const == "" || c.isCleared(set)):
			return false
		}
		return !((strict || c.isMadeOnTheWay(test, set)) && c.isIgnored(test.Loc))
	})
}

// isOfElement reports whether a test is of a field of an element, and a read of something that the elements share.
//
//	id, total := s.claim() // s.jobs[id].running = true; return id, s.total
func isOfElement(test, read *summary.Event) bool {
	return len(test.Base.Keys()) > 0 && len(read.Base.Keys()) == 0 && read.Key == "" && test.Base.Within(read.Base)
}

// isCleared reports whether a flag may be changed again in a section before that of the act.
func (c *candidate) isCleared(set *summary.Event) bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		_, deferred := e.Instr.(*ssa.Defer)
		if !e.Writes() || !sameCell(e, set) || e.Const == set.Const || deferred || summary.SharePassage(e, c.act) {
			return false
		}
		return e.Ord == c.act.Ord || c.d.f.Order().Flows(set.Instr, e.Instr) && c.d.f.Order().Flows(e.Instr, c.act.Instr)
	})
}

// sets reports whether an access sets a flag on the way from its test, which is access i,
// to the act, in the section of the test; the callee that acts may do so before it gives
// the lock up. A list from which an element is taken is no flag: others take the next one.
func (c *candidate) sets(test, set *summary.Event, i int) bool {
	return set.Writes() && !set.Shrinks() && set.Loc == test.Loc && accesspath.Same(set.Base, test.Base) &&
		accesspath.KeysOverlap(set.Key, test.Key) && slices.Contains(set.Control, i) &&
		(c.d.oneSection(test, set) || summary.SharePassage(test, set)) && c.isMadeBeforeAct(test, set)
}

// isMadeBeforeAct reports whether the flag is certainly set when control comes from its test to the act.
func (c *candidate) isMadeBeforeAct(test, set *summary.Event) bool {
	if set.Ord == test.Ord {
		return c.d.f.HasMade(set, c.act.Instr.Block())
	}
	return c.isMadeOnTheWay(test, set) || c.d.f.Order().MustPass(test.Instr, set.Instr, c.act.Instr)
}

// isMadeOnTheWay reports whether the callee that acts sets a flag in the section of the test, which it then ends.
//
//	if !s.busy { s.workLocked() } // s.busy = true; s.mu.Unlock(); …; s.mu.Lock(); s.done = n; s.busy = false
func (c *candidate) isMadeOnTheWay(test, set *summary.Event) bool {
	return set.Ord == c.act.Ord && summary.SharePassage(test, set) && !summary.SharePassage(set, c.act)
}

// balances: the act takes back, or adds to, a change by some amount that the section of
// the read made to the same place.
//
//	s.mu.Lock(); closed := s.closed; s.refs++; s.mu.Unlock()
//	if !closed { … }
//	s.mu.Lock(); s.refs--; s.mu.Unlock()
//
// A reference is given back.
func (c *candidate) balances() bool {
	return c.act.Delta() && slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Delta() && sameCell(e, c.act) && summary.SharePassage(e, c.read) && c.d.f.Order().Flows(e.Instr, c.act.Instr)
	})
}

// clears: the act gives a flag another value than the section of the read gave it.
//
//	s.mu.Lock(); n := len(s.queue); s.draining = true; s.mu.Unlock()
//	if n > 0 { … }
//	s.mu.Lock(); s.draining = false; s.mu.Unlock()
//
// It is the end of what that section began.
func (c *candidate) clears() bool {
	w := c.act
	return w.Const != "" && slices.ContainsFunc(c.d.f.Events, func(set *summary.Event) bool {
		return set.Writes() && set.Const != "" && set.Const != w.Const && sameCell(set, w) &&
			summary.SharePassage(set, c.read) && c.d.f.Order().Flows(set.Instr, w.Instr)
	}) && !c.isBypassed()
}

// signsOff: the act removes from a container what the section of the read has put in, or the function
// since then under the same key; or it is made on what is removed, in the same section.
//
//	s.mu.Lock(); if s.calls[k] == nil { s.calls[k] = c }; s.mu.Unlock()
//	…
//	s.mu.Lock(); delete(s.calls, k); s.mu.Unlock()
//
// It is the end of what that section began.
func (c *candidate) signsOff() bool {
	w := c.act
	container := w.Base
	for strings.HasSuffix(string(container), "]") { // what is in an element of it
		container = container.Parent().Parent()
	}
	removes := slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return (e.Ord == w.Ord || sameCell(e, w) && c.d.oneSection(e, w)) && accesspath.Same(e.Base, container) && (e.Op&summary.Delete != 0 || e.Key != "" && e.Const == "nil")
	})
	return removes && slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		own := c.d.oneSection(c.read, e) || e.Loc == w.Loc && e.Key == w.Key && e.Key != "" && !e.Key.HasAny()
		return e.Writes() && accesspath.Same(e.Base, container) && e.Op&summary.Delete == 0 && own && c.d.mustPass(c.read.Instr, e.Instr, w.Instr)
	})
}
