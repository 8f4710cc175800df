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
// it acts.
func (p *pair) missesShutdown() bool {
	r, w := p.read, p.act
	if !p.depends() || !p.decides || p.data || w.Delta() || w.Op&summary.Delete != 0 || w.Empties() || r.Base.Root() != w.Base.Root() {
		return false
	}
	_, ok := p.d.others.ShutsDown(r.Loc)[w.Loc]
	return ok && p.d.decides(r, w) && !p.d.oneSection(r, w)
}
