package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
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
// wake-up, which always comes, is not known.
func (p *pair) waitsLate() bool {
	e := p.effect
	return e.in != nil && p.d.others.Mutex(p.d.f, p.guard.Guard) == e.mutex && p.d.decides(p.read, p.act) &&
		p.d.actsAfter(p.read, p.act, p.guard, false) && !p.d.oneSection(p.read, p.act) &&
		!(e.in != p.d.f && slices.ContainsFunc(e.in.Events, func(o *summary.Event) bool { return o.Reads() && o.Loc == p.read.Loc }))
}

// waiting returns the instructions of the function that wait on a condition variable, by
// themselves or in the function that they call.
func (d *detector) waiting() map[ssa.Instruction][]effect {
	out := make(map[ssa.Instruction][]effect)
	add := func(at ssa.Instruction, in *summary.Func, mutex accesspath.Location) {
		out[at] = append(out[at], effect{Event: &summary.Event{}, in: in, mutex: mutex})
	}
	for at, mutex := range d.mutexes(d.f) {
		add(at, d.f, mutex)
	}
	for _, c := range d.f.Calls {
		if g := d.pkg.Funcs[c.Callee]; c.Kind == summary.Called && c.Instr != nil && g.Flow != nil && g != d.f {
			for _, mutex := range d.mutexes(g) {
				add(c.Instr, g, mutex)
				break
			}
		}
	}
	return out
}

// mutexes yields the instructions of a function that wait, and the classes of the mutexes that
// they release.
func (d *detector) mutexes(f *summary.Func) func(yield func(ssa.Instruction, accesspath.Location) bool) {
	own := *d
	own.f = f
	return func(yield func(ssa.Instruction, accesspath.Location) bool) {
		for at, guard := range own.waits() {
			if mutex := d.others.Mutex(f, guard); mutex != "" && !yield(at, mutex) {
				return
			}
		}
	}
}
