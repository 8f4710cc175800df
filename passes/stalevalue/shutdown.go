package stalevalue

import "github.com/atomvet/atomvet/passes/summary"

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
	if !p.depends() || !p.decides || p.data && !p.isPlainFlag() || w.Delta() || w.Op&summary.Delete != 0 || w.Empties() || r.Base.Root() != w.Base.Root() {
		return false
	}
	_, ok := p.d.others.ShutsDown(r.Loc)[w.Loc]
	return ok && p.d.decides(r, w) && !p.d.oneSection(r, w)
}

// isPlainFlag reports whether the read is that of a flag: a closed channel, a context, or a
// variable to which only constants are written.
func (p *pair) isPlainFlag() bool {
	return p.read.Callee != nil && (summary.IsSignalFlag(p.read.Loc) || isFlag(p.info))
}
