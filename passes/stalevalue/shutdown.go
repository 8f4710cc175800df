package stalevalue

import (
	"go/constant"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// missesShutdown: a flag was found clear, and the function that sets it has acted on what the
// act writes in a later section.
//
//	if s.closed.Load() { return }
//	conn := dial()
//	s.mu.Lock(); s.conns[id] = conn; s.mu.Unlock() // Close has set closed and closed all conns
//
// What is removed, or only counted, needs no shutdown. If the flag is checked in the section of
// the act, a shutdown that finds it set afterwards has to wait for the end of the section before
// it acts. The result of a callee that checks the flag depends on it by control alone: a flag has
// no value to compute with.
//
//	conn, err := s.dial() // returns an error if s.quit is closed
//	if err != nil { return err }
//	s.mu.Lock(); s.conn = conn; s.mu.Unlock()
func (p *pair) missesShutdown() bool {
	r, w := p.read, p.act
	if !p.depends() || !p.decides || p.data && !p.isPlainFlag() || w.Delta() || w.Op&summary.Delete != 0 || w.Shrinks() || w.Empties() || r.Base.Root() != w.Base.Root() {
		return false
	}
	return p.shutsDown(r.Loc) && p.d.decides(r, w) && !p.d.oneSection(r, w)
}

// shutsDown reports whether a function sets a flag before it acts on what the act writes, and does not wait in between for
// the end of the goroutine that makes the act:
//
//	s.mu.Lock(); s.closed = true; s.mu.Unlock()
//	s.workers.Wait() // then nobody adds to s.conns
//	closeAll(s.conns)
func (p *pair) shutsDown(flag accesspath.Location) bool {
	return len(p.shutdowns(flag)) > 0
}

// shutdowns returns the functions that shutsDown speaks of.
func (p *pair) shutdowns(flag accesspath.Location) []counterpart.Shutdown {
	var out []counterpart.Shutdown
	for _, by := range p.d.others.ShutsDown(flag)[p.act.Loc] {
		if (!by.Clears || p.findsSet()) && !p.d.pkg.Processes().EndsWith(p.d.f, by.Joined) {
			out = append(out, by)
		}
	}
	return out
}

// findsSet reports whether the act is only made if the flag is set.
func (p *pair) findsSet() bool {
	return p.d.f.Knows(p.read, p.act.Instr.Block(), func(f branch.Fact) bool { return f.True() || f.IsNot(constant.MakeInt64(0)) })
}

// countsAfterDrain: a flag was found clear, or waited for until it was, and a user is counted up in a later section, while the
// function that sets the flag asks afterwards whether there are users.
//
//	if s.draining.Load() { return }
//	s.users.Add(1) // Drain has set draining, and found no users
//
// A comparison of the result of the increment with a limit revalidates the count, and not the flag.
func (p *pair) countsAfterDrain() bool {
	r, w := p.read, p.act
	if r.Loc == w.Loc || !p.decides && !(p.awaited && takesBack(r, up, true)) || !w.Delta() || w.Op&summary.Compare != 0 || w.Looked() && !w.Reads() || w.Effect() != summary.Raises || p.d.oneSection(r, w) {
		return false
	}
	return len(p.d.others.DrainsBy(r.Loc)[w.Loc]) > 0 && (p.awaited || p.d.decides(r, w))
}

// everyShutdown reports whether there are shutdowns, and all of them are as asked.
func (c *candidate) everyShutdown(asked func(*summary.Writer) bool) bool {
	all := c.shutdowns(c.read.Loc)
	return len(all) > 0 && !slices.ContainsFunc(all, func(by counterpart.Shutdown) bool { return !asked(&by.Writer) })
}

// isEmptiedByShutdown reports whether the function that sets the flag leaves the place of the act as
// one in which nothing has been put yet: that nothing is there says nothing of the flag.
//
//	func (s *Server) Stop() { s.quit.fire(); s.mu.Lock(); s.conn.Close(); s.conn = nil; s.mu.Unlock() }
func (c *candidate) isEmptiedByShutdown() bool {
	empties := func(w *summary.Writer) bool {
		return c.d.writerMakes(w, func(e *summary.Event) bool { return e.Loc == c.act.Loc && e.Writes() && e.Empties() })
	}
	switch c.link {
	case missedShutdown:
		return c.everyShutdown(empties)
	case outlivedPool:
		return c.anyRival(func(r rival) bool { return empties(r.writer) })
	}
	return false
}

// refusesClosed: the act is made only if the container is there, in the section in which that is asked, and the shutdown
// takes the container away.
//
//	if s.quit.fired() { return }
//	s.mu.Lock(); defer s.mu.Unlock()
//	if s.conns == nil { return errClosed }
//	s.conns[c] = true // Stop: s.quit.fire(); s.mu.Lock(); conns := s.conns; s.conns = nil; s.mu.Unlock(); closeAll(conns)
//
// A nil container is evidence of the shutdown: a later insertion is refused, and an earlier one is seen by the shutdown.
func (c *candidate) refusesClosed() bool {
	takesAway := func(w *summary.Writer) bool {
		return c.d.writerMakes(w, func(e *summary.Event) bool { return e.Loc == c.act.Loc && e.Writes() && e.Const == "nil" })
	}
	if !c.everyShutdown(takesAway) {
		return false
	}
	if c.act.Callee == nil {
		return c.d.asksPresence(c.d.f, c.act)
	}
	callees := c.d.calleesAt(c.act.Instr)
	return len(callees) > 0 && !slices.ContainsFunc(callees, func(g *summary.Func) bool {
		return slices.ContainsFunc(g.Events, func(e *summary.Event) bool {
			return e.Loc == c.act.Loc && e.Writes() && !(e.Callee == nil && c.d.asksPresence(g, e))
		})
	})
}

// asksPresence reports whether a write to a container is made only if the container is not nil, which is asked in the
// section of the write.
func (d *detector) asksPresence(f *summary.Func, w *summary.Event) bool {
	for is := range branch.At(w.Instr.Block()) {
		if is.NonNil() && slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
			return e.Loc == w.Loc && e.Key == "" && e.Base == w.Base && slices.Contains(e.Values, is.Subject) && summary.SharePassage(e, w)
		}) {
			return true
		}
	}
	return false
}

// isPlainFlag reports whether the read is that of a flag: a closed channel, a context, or a
// variable to which only constants are written.
func (p *pair) isPlainFlag() bool {
	return p.read.Callee != nil && (summary.IsSignalFlag(p.read.Loc) || isFlag(p.info))
}

// registersLate: the object was found open, and is put into a table from which the function that
// closes it takes it out.
//
//	c.mu.Lock(); closed := c.closed; c.mu.Unlock()
//	if !closed {
//		s.mu.Lock(); s.conns[c.id] = c; s.mu.Unlock() // c.close() sets closed, and deletes c from conns
//	}
//
// An object that is closed in between stays in the table.
func (p *pair) registersLate() bool {
	r, w := p.read, p.act
	if !p.depends() || !p.decides || w.Op&summary.Delete != 0 || w.Empties() || !p.d.puts(w, r) {
		return false
	}
	return len(p.d.others.Leaves(r.Loc)[w.Loc]) > 0 && p.d.decides(r, w) && !p.d.oneSection(r, w)
}

// asksAfterwards: the function looks at the flag again after the act, and can undo it.
//
//	s.add(c)
//	if c.isClosed() { s.remove(c) }
//
// Where it is not known that the rival takes out what was put in, the function has to look on all paths.
// To wait for the flag is a look at it. A look that is also made without the act is that of another turn of a loop.
//
//	for {
//		c, err := l.Accept()
//		if err != nil { return s.isClosed() }
//		if !s.isClosed() { s.add(c) }
//	}
func (c *candidate) asksAfterwards() bool {
	order := c.d.f.Order()
	repeats := order.Flows(c.act.Instr, c.read.Instr)
	return c.awaitsFlag() || slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		if !e.Reads() || !sameCell(e, c.read) || !order.Flows(c.act.Instr, e.Instr) ||
			!order.MustPass(e.Instr, c.read.Instr, c.act.Instr) || repeats && !ssautil.Precedes(c.act.Instr, e.Instr) {
			return false
		}
		return c.link != jointLocation || c.act.Op&summary.Delete == 0 && c.alwaysAsks(e)
	})
}

// awaitsFlag reports whether the function waits after the act for the flag that was read to be set.
func (c *candidate) awaitsFlag() bool {
	if !summary.IsSignalFlag(c.read.Loc) {
		return false
	}
	for _, b := range c.d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if c.d.f.Awaits(instr, c.read) && ssautil.Precedes(c.act.Instr, instr) {
				return true
			}
		}
	}
	return false
}

// alwaysAsks reports whether what e reads decides something, on all paths from the act to the end of the
// function.
func (c *candidate) alwaysAsks(e *summary.Event) bool {
	if !c.d.f.DecidesBranch(e.Values) {
		return false
	}
	for _, ret := range ssautil.Returns(c.d.f.Fn) {
		if !c.d.f.Order().MustPass(c.act.Instr, e.Instr, ret) {
			return false
		}
	}
	return true
}
