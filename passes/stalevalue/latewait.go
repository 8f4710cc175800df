package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// waitsLate: the function waits on a condition variable because of what it has read under the
// mutex in an earlier critical section.
//
//	for s.isBusy() { // under s.mu
//		s.mu.Lock(); s.cond.Wait(); s.mu.Unlock()
//	}
//
// A change in between wakes nobody, and the wait misses it. If the function that waits tests
// the variable in the section of the wait, that is the decision. That the wait ends by another
// wake-up, which always comes, is not known. Nor is a wait late for what is only compared with another
// variable, which is read in the section of the wait:
//
//	want := s.last
//	for s.written < want {
//		s.cond.Wait()
//	}
func (p *pair) waitsLate() bool {
	return p.effect.kind == pauses && p.d.others.Mutex(p.d.f, p.guard.Guard) == p.effect.mutex && p.d.decides(p.read, p.act) &&
		p.d.actsAfter(p.read, p.act, p.guard, false) && !p.d.oneSection(p.read, p.act) && !p.isBound()
}

// isBound reports whether what was read is compared with what is read in the section of the act, in each condition on
// which the act is control dependent.
func (p *pair) isBound() bool {
	fresh := func(cond ssa.Value) bool {
		return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
			return e != p.read && e.Reads() && e.Loc != p.read.Loc && p.d.oneSection(e, p.act) && p.d.f.Slice(cond).HasAny(e.Values)
		})
	}
	return !slices.ContainsFunc(p.d.f.Conditions(p.act), func(cond ssa.Value) bool { return p.d.f.Slice(cond).HasAny(p.read.Values) && !fresh(cond) })
}
