package check

import (
	"slices"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// The runs of a process are found by saturation: a worklist of partial runs of
// procedures, each from the state in which the procedure is entered. A run of a procedure
// that returns is a summary edge, at which all its callers continue; one that has reached
// the last phase is complete, and so are its callers'. There are finitely many states, as
// there are finitely many lock stacks, and of the runs between two states only those are
// kept that use fewest locks. So saturation terminates, and recursion needs no special
// case.

// A run is a run of a process through the phases of a scenario, or a part of
// one.
type run struct {
	events [2]event
	// old says that the first access was made before the last try: a retry does not
	// invalidate it.
	old    bool
	phases []history
}

// A runSet has the runs of one process in one role, by their accesses. It is incomplete
// if the process does not nest its locks, or if there are too many runs.
type runSet struct {
	runs     map[[2]event][]*run
	complete bool
	partial  int // number of partial runs
}

// maxRuns bounds the partial runs for one process and role, and maxAllRuns those for all
// of a model.
const maxRuns, maxAllRuns = limit.Runs, limit.AllRuns

// An entry is a state in which a procedure is entered.
type entry struct {
	proc   int
	inUnit bool
	held   string
	phase  int
	events [2]event
	old    bool
}

// A frame is the state of the saturation for a procedure entered in one state.
type frame struct {
	entry
	at       [][]*run // partial runs up to each node
	returned []*run
	done     []*run
	callers  []caller
}

// A caller waits for a procedure to return, or to complete its run.
type caller struct {
	frame *frame
	node  int
	run   *run
}

type saturation struct {
	prog   *program
	key    runKey
	frames map[entry]*frame
	top    *frame // the frame of the process itself
	work   []item
	count  int
	failed bool
}

type item struct {
	frame *frame
	node  int
	run   *run
}

func (p *program) findRuns(k runKey) *runSet {
	s := &saturation{prog: p, key: k, frames: make(map[entry]*frame)}
	held := ""
	if k.child >= 0 {
		held += string([]byte{byte(lockOf(startLock, false))})
	}
	if k.born {
		held += string([]byte{byte(lockOf(endLock, false))})
	}
	root := entry{proc: k.proc, held: held, events: [2]event{noEvent, noEvent}}
	set := &runSet{runs: make(map[[2]event][]*run)}
	if p.tooMany {
		return set
	}
	f := s.root(root)
	s.top = f
	for len(s.work) > 0 && !s.failed {
		it := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		s.step(it)
	}
	set.partial = s.count
	if s.failed {
		return set
	}
	set.complete = true
	for _, r := range f.done {
		set.runs[r.events] = append(set.runs[r.events], r)
	}
	return set
}

// root returns the frame of the process. A process that another one starts begins in any
// phase before its first access.
func (s *saturation) root(e entry) *frame {
	if !s.key.born {
		return s.enter(e)
	}
	// This frame is not that of a call, which would begin at the first node immediately.
	f := &frame{entry: e, at: make([][]*run, len(s.prog.procs[e.proc].nodes))}
	begin := passage(e.held, lockOf(startLock, false))
	var waited []history
	for i := range s.key.phases {
		s.add(f, 0, &run{events: e.events, phases: append(slices.Clone(waited), begin)})
		if s.key.own[i] {
			break
		}
		waited = append(waited, still(e.held))
	}
	return f
}

// enter returns the frame of an entry.
func (s *saturation) enter(e entry) *frame {
	f := s.frames[e]
	if f == nil {
		f = &frame{entry: e, at: make([][]*run, len(s.prog.procs[e.proc].nodes))}
		s.frames[e] = f
		s.add(f, 0, &run{events: e.events, old: e.old, phases: []history{still(e.held)}})
	}
	return f
}

// add records that r leads to a node, unless a run that subsumes r does.
func (s *saturation) add(f *frame, node int, r *run) {
	if node >= len(f.at) {
		return
	}
	if keep(&f.at[node], r) {
		if s.count++; s.count > maxRuns {
			s.failed = true
		}
		s.work = append(s.work, item{f, node, r})
	}
}

// keep adds r to a list of minimal runs, and reports whether r is one of them.
func keep(list *[]*run, r *run) bool {
	for _, o := range *list {
		if o.within(r) {
			return false
		}
	}
	*list = append(slices.DeleteFunc(*list, r.within), r)
	return true
}

// within reports whether r subsumes o.
func (r *run) within(o *run) bool {
	if r.events != o.events || r.old != o.old || len(r.phases) != len(o.phases) {
		return false
	}
	for i := range r.phases {
		if !r.phases[i].sameEnds(o.phases[i]) || !r.phases[i].within(o.phases[i]) {
			return false
		}
	}
	return true
}

// held returns the locks held at the end of r.
func (r *run) held() string { return r.phases[len(r.phases)-1].end }

// extended returns r with h appended to its last phase.
func (r *run) extended(h history) *run {
	out := &run{events: r.events, old: r.old, phases: slices.Clone(r.phases)}
	last := len(out.phases) - 1
	out.phases[last] = out.phases[last].then(h)
	return out
}

// waited returns r at the beginning of the next phase.
func (r *run) waited() *run {
	return &run{events: r.events, old: r.old, phases: append(slices.Clone(r.phases), still(r.held()))}
}

// followed returns r followed by a run of a callee, which begins in the last
// phase of r.
func (r *run) followed(k *run) *run {
	last := len(r.phases) - 1
	out := &run{events: k.events, old: k.old, phases: slices.Clone(r.phases)}
	out.phases[last] = out.phases[last].then(k.phases[0])
	out.phases = append(out.phases, k.phases[1:]...)
	return out
}

// phaseOf returns the phase that r has reached in f.
func (f *frame) phaseOf(r *run) int { return f.phase + len(r.phases) - 1 }

// next begins the next phase, or completes the run.
func (s *saturation) next(f *frame, node int, r *run) {
	if f.phaseOf(r)+1 == s.key.phases {
		s.complete(f, r)
		return
	}
	s.add(f, node, r.waited())
}

func (s *saturation) complete(f *frame, r *run) {
	if !keep(&f.done, r) {
		return
	}
	for _, c := range f.callers {
		s.complete(c.frame, c.run.followed(r))
	}
}

// step follows one step of a run.
func (s *saturation) step(it item) {
	f, r := it.frame, it.run
	if !slices.Contains(f.at[it.node], r) {
		return // a run that subsumes it was found
	}
	n := &s.prog.procs[f.proc].nodes[it.node]
	if !s.key.own[f.phaseOf(r)] {
		s.next(f, it.node, r) // the other process makes its access here
	}
	onward := func(r *run) {
		if len(n.Succs) == 0 {
			s.stay(f, r)
		}
		for _, succ := range n.Succs {
			s.add(f, succ, r)
		}
	}
	switch n.Op {
	case model.Lock, model.RLock:
		if l := lockOf(n.Arg, n.Op == model.RLock); find(r.held(), n.Arg) < 0 {
			onward(r.extended(acquire(r.held(), l)))
		}
	case model.Unlock, model.RUnlock:
		s.unlock(r, lockOf(n.Arg, n.Op == model.RUnlock), onward)
	case model.Read, model.Write:
		onward(r)
		s.access(f, n, r)
	case model.End:
		// The second access would belong to another unit of work.
		if n.ends && !f.inUnit && s.waiting(r) {
			return
		}
		onward(r)
	case model.Try:
		out := *r
		out.old = s.waiting(r)
		onward(&out)
	case model.Retry:
		if !s.waiting(r) || r.old || r.events[0] != eventOf(false, n.Arg) {
			onward(r)
		}
	case model.Call:
		s.call(f, it.node, r)
	case model.Return:
		if keep(&f.returned, r) {
			for _, c := range f.callers {
				s.resume(c, r)
			}
		}
		if f == s.top {
			s.stay(f, r)
		}
	case model.Start:
		onward(r)
		if n.Arg == s.key.child && find(r.held(), startLock) >= 0 {
			s.unlock(r, lockOf(startLock, false), onward)
		}
	case model.Join:
		if n.Arg != s.key.child || find(r.held(), startLock) >= 0 {
			onward(r)
		} else {
			onward(r.extended(passage(r.held(), lockOf(endLock, false))))
		}
	default:
		onward(r)
	}
}

// waiting reports whether the first of two accesses was made, and not the second.
func (s *saturation) waiting(r *run) bool {
	return s.key.double && r.events[0] != noEvent && r.events[1] == noEvent
}

// find returns the position of a lock in a stack, or -1.
func find(held string, index int) int {
	for i := range len(held) {
		if lock(held[i]).index() == index {
			return i
		}
	}
	return -1
}

func (s *saturation) unlock(r *run, l lock, onward func(*run)) {
	held := r.held()
	at := find(held, l.index())
	switch {
	case at < 0 || lock(held[at]) != l:
		return // a release of a lock that is not held, which panics
	case at != len(held)-1:
		s.failed = true // not nested
	default:
		onward(r.extended(release(held)))
	}
}

// stay ends the activity of a process, while the phases of the other continue. A process
// that waits for its end may continue.
func (s *saturation) stay(f *frame, r *run) {
	if s.key.born {
		if len(r.held()) > 1 {
			s.failed = true // a lock that it still holds was taken after endLock: not nested
			return
		}
		r = r.extended(release(r.held()))
	}
	for !s.key.own[f.phaseOf(r)] {
		if f.phaseOf(r)+1 == s.key.phases {
			s.complete(f, r)
			return
		}
		r = r.waited()
	}
}

// access makes an access the next one in the scenario.
func (s *saturation) access(f *frame, n *node, r *run) {
	if !s.key.own[f.phaseOf(r)] || s.key.double && !f.inUnit && !n.inUnit {
		return
	}
	out := &run{events: r.events, phases: r.phases}
	i := 0
	if out.events[0] != noEvent {
		i = 1
	}
	out.events[i] = eventOf(n.Op == model.Write, n.Arg)
	if f.phaseOf(r)+1 == s.key.phases {
		s.complete(f, out)
		return
	}
	if len(n.Succs) == 0 {
		s.stay(f, out.waited())
	}
	for _, succ := range n.Succs {
		s.next(f, succ, out)
	}
}

func (s *saturation) call(f *frame, at int, r *run) {
	n := &s.prog.procs[f.proc].nodes[at]
	e := entry{proc: n.Arg, inUnit: f.inUnit || n.inUnit, held: r.held(), phase: f.phaseOf(r), events: r.events, old: r.old}
	callee := s.enter(e)
	c := caller{f, at, r}
	callee.callers = append(callee.callers, c)
	// A recursive call changes the list during the iteration.
	for _, k := range slices.Clone(callee.returned) {
		s.resume(c, k)
	}
	for _, k := range slices.Clone(callee.done) {
		s.complete(f, r.followed(k))
	}
}

// resume continues after a call that has returned.
func (s *saturation) resume(c caller, k *run) {
	if len(s.prog.procs[c.frame.proc].nodes[c.node].Succs) == 0 {
		s.stay(c.frame, c.run.followed(k))
	}
	for _, succ := range s.prog.procs[c.frame.proc].nodes[c.node].Succs {
		s.add(c.frame, succ, c.run.followed(k))
	}
}
