package stalevalue

// waitsLate: the function waits on a condition variable because of what it has read under the
// mutex in an earlier critical section.
//
//	for s.isBusy() { // under s.mu
//		s.mu.Lock(); s.cond.Wait(); s.mu.Unlock()
//	}
//
// A change in between wakes nobody, and the wait misses it. If the function that waits tests
// the variable in the section of the wait, that is the decision. That the wait ends by another
// wake-up, which always comes, is not known.
func (p *pair) waitsLate() bool {
	return p.effect.kind == pauses && p.d.others.Mutex(p.d.f, p.guard.Guard) == p.effect.mutex && p.d.decides(p.read, p.act) &&
		p.d.actsAfter(p.read, p.act, p.guard, false) && !p.d.oneSection(p.read, p.act)
}
