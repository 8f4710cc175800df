package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// sendsAfterClose: a flag was found clear, and the function that sets it closes the channel
// that is sent to in a later critical section.
//
//	s.mu.Lock(); closed := s.closed; s.mu.Unlock()
//	if !closed {
//		s.events <- e // Close sets s.closed, and closes s.events
//	}
//
// The send panics, also in a select statement with other cases. If the function recovers from
// panics it is taken to know that.
func (p *pair) sendsAfterClose() bool {
	return p.effect.kind == sends && p.isEnded() && !ssautil.Recovers(p.effect.in.Fn) && !ssautil.Recovers(p.d.f.Fn)
}

// addsAfterWait: a flag was found clear, and something is added to a group in a later critical
// section. The function that sets the flag then waits for the group.
//
//	if s.ctx.Err() == nil {
//		s.wg.Go(s.work) // Stop cancels s.ctx, and waits for s.wg
//	}
//
// The wait may be over: the goroutine runs beside what comes after it. As long as the function
// itself is in a goroutine of the group, the wait is not over.
func (p *pair) addsAfterWait() bool {
	return p.effect.kind == adds && p.isEnded() && !p.d.pkg.Processes().InGroup(p.d.f, p.act.Loc)
}

// usesAfterEnd: a flag was found clear, and an object is used in a later section of the lock under which the function that sets the
// flag ends the object. Other functions look at the flag in the section in which they use the object.
//
//	if w.closed.Load() { return }
//	w.mu.Lock(); w.sink.Write(x); w.mu.Unlock() // w.mu.Lock(); w.sink.Close(); w.closed.Store(true); w.mu.Unlock()
func (p *pair) usesAfterEnd() bool {
	isEnded := func(by summary.Writer) bool {
		return slices.ContainsFunc(p.act.Holds, func(h summary.Hold) bool { return slices.Contains(by.Guards, h.Class) })
	}
	return p.effect.kind == uses && slices.ContainsFunc(p.endings(), isEnded) && p.isEnded() && p.d.others.AsksBeforeUse(p.d.f, p.read.Loc, p.act.Loc)
}

// isEnded reports whether a function that sets the flag which was read ends the use of the
// channel, group or object of the effect, and may do so between the read and the effect.
func (p *pair) isEnded() bool {
	return len(p.endings()) > 0 && p.comesAfterEnd()
}

// comesAfterEnd reports whether the effect is decided by the flag of its object, and comes in a later section.
func (p *pair) comesAfterEnd() bool {
	return p.read.Base.Root() == p.act.Base.Root() && p.d.decides(p.read, p.act) &&
		p.d.actsAfter(p.read, p.act, p.guard, false) && !p.d.oneSection(p.read, p.act)
}

// asksForEnd reports whether what was read is a flag that says that the use of a channel, group or
// object has ended. An error that a callee makes of it says the same.
func (c *candidate) asksForEnd() bool {
	return c.link.ends()
}

// enders returns the functions that set the flag and end the use that the candidate is about.
func (c *candidate) enders() []summary.Writer {
	if c.link == drainedChannel {
		return c.drainings()
	}
	return c.endings()
}

// endings returns the functions that set the flag and end the use of the channel, group or object.
func (p *pair) endings() []summary.Writer {
	if p.effect.kind == uses {
		return p.d.others.EndsUse(p.read.Loc)[p.act.Loc]
	}
	return p.d.others.Ends(p.read.Loc)[p.act.Loc]
}
