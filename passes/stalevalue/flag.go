package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/summary"
)

// isTold: a flag is checked, and whoever sets the flag also writes, in the same section,
// what the act writes.
//
//	k.mu.Lock(); broken := k.broken; k.mu.Unlock()
//	if broken { return }
//	k.mu.Lock(); k.glow = "red"; k.mu.Unlock() // breakDown sets broken, and glow to ""
//
// However many others write the variable, the flag tells how it has been left. An act that
// overwrites it blindly undoes that. To write an element does so if all elements are gone.
func (p *pair) isTold() bool {
	r, w := p.read, p.act
	isSignal := summary.IsSignalFlag(r.Loc)
	ofChannel := isSignal && !r.AsksContext()
	return p.depends() && p.decides && !p.data && p.sharesGuard() && (isSignal || isFlag(p.info)) && related(r.Base, w.Base) &&
		!w.Reads() && !w.Delta() && w.Op&summary.Delete == 0 && !w.Empties() &&
		p.d.pkg.Views().Tells(r.Loc, w.Loc) && p.d.decides(r, w) && p.leavesWhole() && !(ofChannel && p.revalidatesTarget())
}

// revalidatesTarget reports whether the act is control dependent on a read of its own location in its critical section: that sees what the
// goroutine has written which closed the channel.
//
//	if g.status == "stopped" { return }
//	g.status = status
func (p *pair) revalidatesTarget() bool {
	return p.decidedBy(func(e *summary.Event, _ int) bool {
		return e.Reads() && sameCell(e, p.act) && (e.Ord == p.act.Ord || p.d.oneSection(e, p.act))
	})
}

// leavesWhole reports whether another function that sets the flag writes the location of
// the act as a whole.
func (p *pair) leavesWhole() bool {
	info := p.d.pkg.Location(p.act.Loc)
	return !info.Constant() && slices.ContainsFunc(p.info.Writers, func(o summary.Writer) bool {
		return o.Func != summary.Name(p.d.f.Fn) && slices.ContainsFunc(info.Writers, func(w summary.Writer) bool {
			return w.Func == o.Func && !w.Part && w.Effect != summary.Removes
		})
	})
}

// passesContext: the flag is that of a context, and the callee that acts is given one: it
// asks that by itself.
//
//	if s.ctx.Err() == nil { s.connect(s.ctx) }
func (c *candidate) passesContext() bool { return c.read.AsksContext() && c.act.TakesContext() }

// sharesGuard reports whether the act is made under the guard of the read, or under the
// lock that all writers of an atomic flag hold.
func (p *pair) sharesGuard() bool {
	return p.act.Hold(p.guard.Path) != nil || p.info.Atomic && slices.ContainsFunc(p.act.Holds, func(h summary.Hold) bool {
		return slices.Contains(p.info.Guards, h.Class)
	})
}

// isFlag reports whether all that is ever written to a location are constants.
func isFlag(info *summary.LocInfo) bool {
	return !info.Counter && !slices.ContainsFunc(info.Writers, func(w summary.Writer) bool { return w.Const == "" || w.Const == "nil" || w.Part })
}

// becomesLatch: the act gives a variable the only value that it is ever given.
//
//	if s.jobs() == 0 {
//		s.mu.Lock(); s.idle = true; s.mu.Unlock()
//	}
func (c *candidate) becomesLatch() bool { return c.act.Const != "" && c.act.Const == c.info.Latch }
