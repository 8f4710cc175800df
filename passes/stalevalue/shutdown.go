package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
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

// shutsDown reports whether a function sets a flag before it acts on what the act writes.
func (p *pair) shutsDown(flag accesspath.Location) bool {
	_, ok := p.d.others.ShutsDown(flag)[p.act.Loc]
	return ok
}

// isEmptiedByShutdown reports whether the function that sets the flag leaves the place of the act as
// one in which nothing has been put yet: that nothing is there says nothing of the flag.
//
//	func (s *Server) Stop() { s.quit.fire(); s.mu.Lock(); s.conn.Close(); s.conn = nil; s.mu.Unlock() }
func (c *candidate) isEmptiedByShutdown() bool {
	if c.link != missedShutdown {
		return false
	}
	by := c.d.others.ShutsDown(c.read.Loc)[c.act.Loc]
	return by.Fn >= 0 && slices.ContainsFunc(c.d.pkg.Funcs[by.Fn].Events, func(e *summary.Event) bool {
		return e.Loc == c.act.Loc && e.Writes() && e.Empties()
	})
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
	_, ok := p.d.others.Leaves(r.Loc)[w.Loc]
	return ok && p.d.decides(r, w) && !p.d.oneSection(r, w)
}

// asksAfterwards: the function looks at the flag again after the act, and can undo it.
//
//	s.add(c)
//	if c.isClosed() { s.remove(c) }
func (c *candidate) asksAfterwards() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && sameCell(e, c.read) && c.d.f.Order().Flows(c.act.Instr, e.Instr) && !c.d.f.Order().Flows(e.Instr, c.act.Instr)
	})
}
