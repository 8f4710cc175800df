package check

import (
	"go/token"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// The product of two processes is searched breadth first for the shortest interleaving
// that shows a scenario, and among these for one with few switches between the processes.
// The states are those of both processes, with their stacks, and of the scenario's
// monitor. If such an interleaving exists, the search finds it; otherwise it need not
// terminate where procedures are recursive, and is bounded.
//
// Most interleavings differ only in the order of steps that commute. Acquiring a lock is
// a right mover, it commutes with later steps of the other process, and releasing a lock
// is a left mover (Lipton: Reduction, CACM 1975). So the search switches to the other
// process only after an access of the scenario, and where a process that has released a
// lock takes the next one. A process that cannot reach its next access of the scenario
// any more is not followed.

// A Step is one step of an interleaving.
type Step struct {
	Unit int // 0 for u, 1 for u'
	// Op, Arg, Pos, Text and Where are those of the node.
	Op          model.Op
	Arg         int
	Pos         token.Pos
	Text, Where string
	// Access says that the step is an access of the scenario.
	Access bool
	// Within is the function that is the enclosing unit of work, or "" outside of units.
	// Site is the position in that function: Pos, or the call that leads to the step.
	Within string
	Site   token.Pos
	// Held are the locks that the process holds after the step.
	Held uint32
}

const (
	// maxStates bounds the states that one search visits, and maxAllStates those of all
	// searches in one model.
	maxStates, maxAllStates = limit.SearchStates, limit.AllSearchStates
	// maxNesting bounds the number of active calls of one procedure in a search.
	maxNesting = limit.SearchNesting
	// stepCost and switchCost make the shorter of two interleavings cheaper, whatever the
	// number of switches between the processes.
	stepCost, switchCost = 64, 1
)

// A stack is a list of return places, with the next node of the process. Equal stacks
// have the same number: see explorer.push.
type stack struct {
	proc, node int32
	inUnit     bool
	parent     int32 // number of the stack that the procedure returns to
	call       int32 // node of the call, in the procedure of the parent
	nesting    int32
}

const (
	// idle is the number of the stack of a process that has ended, or not begun.
	idle = -1
	// nothing is the return node of a call without a successor.
	nothing = -1
)

// A place is the state of one process.
type place struct {
	stack             int32
	exclusive, shared uint32 // the locks held
}

type config struct {
	places  [2]place
	monitor int8
	last    int8
	started bool
	old     [2]bool // see run.old
	gave    [2]bool // has released a lock, or has made no step yet
}

type explorer struct {
	prog   *program
	q      Question
	stacks []stack
	number map[stack]int32
	from   map[config]origin
	queue  buckets
	reach  map[target][][]bool
	// cut says that the search left out a part of the product.
	cut   bool
	trace []Step
}

// An origin is the predecessor of a configuration on the cheapest path to it.
type origin struct {
	before config
	node   int32 // in proc
	proc   int32
	unit   int8
	access bool
	cost   int32
}

func (c *Checker) explore(q Question) *explorer {
	x := &explorer{prog: c.prog, q: q, number: make(map[stack]int32), from: make(map[config]origin),
		reach: c.reach}
	if len(c.prog.m.Locks) > 32 {
		x.cut = true
		return x
	}
	start := config{last: -1, started: true, gave: [2]bool{true, true}}
	procs := [2]int{q.U, q.V}
	for i := range start.places {
		start.places[i].stack = x.push(stack{proc: int32(procs[i]), parent: idle, nesting: 1})
	}
	if q.Parent >= 0 {
		start.started = false
	}
	x.from[start] = origin{unit: -1}
	x.queue.add(0, start)
	for {
		cost, cur, ok := x.queue.next()
		if !ok {
			return x
		}
		if x.from[cur].cost != int32(cost) {
			continue // reached at less cost before
		}
		if x.q.Scenario.Final(int(cur.monitor)) {
			x.trace = x.steps(cur)
			return x
		}
		if c.states++; c.states > c.maxStates || len(x.from) > maxStates {
			x.cut = true
			return x
		}
		for unit := range cur.places {
			if !cur.started && unit != q.Parent || !x.mayChange(cur, unit) || !x.useful(cur, unit) {
				continue
			}
			x.step(cur, unit, cost)
		}
	}
}

// push returns the number of a stack.
func (x *explorer) push(s stack) int32 {
	n, ok := x.number[s]
	if !ok {
		n = int32(len(x.stacks))
		x.number[s] = n
		x.stacks = append(x.stacks, s)
	}
	return n
}

// operate makes a lock operation on the lock with a bit, and reports whether that can be made beside the other process.
func (p *place) operate(op model.Op, bit uint32, other place) bool {
	switch op {
	case model.Lock:
		if (p.exclusive|p.shared|other.exclusive|other.shared)&bit != 0 {
			return false
		}
		p.exclusive |= bit
	case model.RLock:
		if (p.exclusive|p.shared|other.exclusive)&bit != 0 {
			return false
		}
		p.shared |= bit
	case model.Unlock:
		if p.exclusive&bit == 0 {
			return false
		}
		p.exclusive &^= bit
	case model.RUnlock:
		if p.shared&bit == 0 {
			return false
		}
		p.shared &^= bit
	}
	return true
}

// step adds the next steps of one process.
func (x *explorer) step(cur config, unit int, cost int) {
	at := cur.places[unit].stack
	if at == idle {
		return
	}
	top := x.stacks[at]
	n := &x.prog.procs[top.proc].nodes[top.node]
	next := cur
	p := &next.places[unit]
	bit := uint32(1) << (n.Arg & 31)
	other := cur.places[1-unit]
	switch n.Op {
	case model.Lock, model.RLock, model.Unlock, model.RUnlock:
		if !p.operate(n.Op, bit, other) {
			return
		}
		next.gave[unit] = n.Op == model.Unlock || n.Op == model.RUnlock
	case model.Read, model.Write:
		if x.shows(cur, unit, top, n) {
			seen := next
			seen.monitor++
			seen.old[unit] = false
			seen.gave[unit] = true // the other process may make the next step
			x.onward(cur, seen, unit, top, n, cost, true)
		}
	case model.End:
		if n.ends && !top.inUnit && x.q.Scenario.Between(int(cur.monitor), unit) {
			return
		}
	case model.Try:
		next.old[unit] = x.q.Scenario.Between(int(cur.monitor), unit)
	case model.Retry:
		if x.q.Scenario.Between(int(cur.monitor), unit) && !cur.old[unit] && events(x.q, unit)[0] == eventOf(false, n.Arg) {
			return
		}
	case model.Start:
		if unit == x.q.Parent && n.Arg == x.child() && !cur.started {
			begun := next
			begun.started = true
			begun.gave[unit] = true
			x.onward(cur, begun, unit, top, n, cost, false)
		}
	case model.Join:
		if unit == x.q.Parent && n.Arg == x.child() && cur.started && other.stack != idle {
			return
		}
		next.gave[unit] = false
	case model.Call:
		x.call(cur, unit, top, n, cost)
		return
	case model.Return:
		p.stack = top.parent
		if p.stack != idle && x.stacks[p.stack].node == nothing {
			p.stack = idle
		}
		x.add(cur, next, unit, top, cost, false)
		return
	}
	x.onward(cur, next, unit, top, n, cost, false)
}

// mayChange reports whether the given process may make the next step: the other process
// is not within a sequence of steps that commute with all steps of the given one.
func (x *explorer) mayChange(cur config, unit int) bool {
	last := int(cur.last)
	if last < 0 || last == unit {
		return true
	}
	at := cur.places[last].stack
	if at == idle || !x.useful(cur, last) {
		return true
	}
	if !cur.gave[last] {
		return false
	}
	top := x.stacks[at]
	switch x.prog.procs[top.proc].nodes[top.node].Op {
	case model.Skip, model.Begin, model.End, model.Try, model.Retry, model.Call, model.Return:
		return false // it can continue to its next step that does not commute
	}
	return true
}

// A target is a kind of access.
type target struct {
	write bool
	loc   int
}

// useful reports whether a process has to be followed: it can still reach its next access
// of the scenario, or it has locks to release, or an end to reach.
func (x *explorer) useful(cur config, unit int) bool {
	at := cur.places[unit].stack
	if at == idle {
		return false
	}
	for _, s := range x.q.Scenario.Steps[cur.monitor:] {
		if s.Unit == unit {
			return x.comesTo(at, target{s.Write, x.q.Locations[s.Loc]})
		}
	}
	return cur.places[unit].exclusive|cur.places[unit].shared != 0 || x.q.Parent == 1-unit
}

// comesTo reports whether there is a path from a stack to a target, without regard to
// locks.
func (x *explorer) comesTo(at int32, t target) bool {
	for at != idle {
		s := x.stacks[at]
		if s.node == nothing {
			return false
		}
		if x.reaching(t)[s.proc][s.node] {
			return true
		}
		at = s.parent
	}
	return false
}

// reaching returns the nodes from which there is a path to a target within the procedure
// and its callees.
func (x *explorer) reaching(t target) [][]bool {
	if r := x.reach[t]; r != nil {
		return r
	}
	r := make([][]bool, len(x.prog.procs))
	for i, p := range x.prog.procs {
		r[i] = make([]bool, len(p.nodes))
	}
	x.reach[t] = r
	op := model.Read
	if t.write {
		op = model.Write
	}
	for changed := true; changed; {
		changed = false
		for i, p := range x.prog.procs {
			for j := len(p.nodes) - 1; j >= 0; j-- {
				n := &p.nodes[j]
				if r[i][j] {
					continue
				}
				found := n.Op == op && n.Arg == t.loc || n.Op == model.Call && len(r[n.Arg]) > 0 && r[n.Arg][0]
				for _, s := range n.Succs {
					found = found || r[i][s]
				}
				if found {
					r[i][j], changed = true, true
				}
			}
		}
	}
	return r
}

// child returns the procedure of the process that the other starts.
func (x *explorer) child() int { return [2]int{x.q.V, x.q.U}[x.q.Parent] }

// shows reports whether an access is the next one in the scenario.
func (x *explorer) shows(cur config, unit int, top stack, n *node) bool {
	s := x.q.Scenario
	if s.Final(int(cur.monitor)) {
		return false
	}
	want := s.Steps[cur.monitor]
	if want.Unit != unit || want.Write != (n.Op == model.Write) || x.q.Locations[want.Loc] != n.Arg {
		return false
	}
	double := events(x.q, unit)[1] != noEvent
	return !double || top.inUnit || n.inUnit
}

// onward continues a process at the successors of a node.
func (x *explorer) onward(cur, next config, unit int, top stack, n *node, cost int, access bool) {
	if len(n.Succs) == 0 {
		next.places[unit].stack = idle
		x.add(cur, next, unit, top, cost, access)
	}
	for _, succ := range n.Succs {
		s := top
		s.node = int32(succ)
		next.places[unit].stack = x.push(s)
		x.add(cur, next, unit, top, cost, access)
	}
}

func (x *explorer) call(cur config, unit int, top stack, n *node, cost int) {
	if len(x.prog.procs[n.Arg].nodes) == 0 {
		x.onward(cur, cur, unit, top, n, cost, false)
		return
	}
	nesting := int32(1)
	if x.prog.procs[n.Arg].recursive {
		for s := top; ; s = x.stacks[s.parent] {
			if int(s.proc) == n.Arg {
				nesting = s.nesting + 1
				break
			}
			if s.parent == idle {
				break
			}
		}
		if nesting > maxNesting {
			x.cut = true
			return
		}
	}
	enter := func(succ int) {
		back := top
		back.node = int32(succ)
		next := cur
		next.places[unit].stack = x.push(stack{
			proc: int32(n.Arg), parent: x.push(back), call: top.node, inUnit: top.inUnit || n.inUnit, nesting: nesting,
		})
		x.add(cur, next, unit, top, cost, false)
	}
	if len(n.Succs) == 0 {
		enter(nothing)
	}
	for _, succ := range n.Succs {
		enter(succ)
	}
}

// add records a configuration, if it is new or reached at less cost.
func (x *explorer) add(cur, next config, unit int, top stack, cost int, access bool) {
	if x.visible(top) {
		cost += stepCost
		next.last = int8(unit)
		if cur.last >= 0 && cur.last != next.last {
			cost += switchCost
		}
	}
	if o, ok := x.from[next]; ok && int(o.cost) <= cost {
		return
	}
	x.from[next] = origin{before: cur, proc: top.proc, node: top.node, unit: int8(unit), access: access, cost: int32(cost)}
	x.queue.add(cost, next)
}

// visible reports whether a step is shown in a report.
func (x *explorer) visible(top stack) bool {
	switch x.prog.procs[top.proc].nodes[top.node].Op {
	case model.Lock, model.RLock, model.Unlock, model.RUnlock, model.Read, model.Write, model.Start, model.Join:
		return true
	}
	return false
}

// steps returns the path to cur.
func (x *explorer) steps(cur config) []Step {
	var out []Step
	for {
		o := x.from[cur]
		if o.unit < 0 {
			break
		}
		if top := (stack{proc: o.proc, node: o.node}); x.visible(top) {
			n := x.prog.procs[o.proc].nodes[o.node]
			s := Step{Unit: int(o.unit), Op: n.Op, Arg: n.Arg, Pos: n.Pos, Text: n.Text, Where: n.Where, Access: o.access,
				Held: cur.places[o.unit].exclusive | cur.places[o.unit].shared}
			s.Within, s.Site = x.within(o.before.places[o.unit].stack)
			out = append(out, s)
		}
		cur = o.before
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// within returns the function that is the active unit of work, and the position in it of
// the next step.
func (x *explorer) within(at int32) (string, token.Pos) {
	s := x.stacks[at]
	n := x.prog.procs[s.proc].nodes[s.node]
	site := n.Pos
	if !s.inUnit {
		if n.inUnit {
			return n.Where, site
		}
		return "", site
	}
	for s.inUnit {
		call := s.call
		s = x.stacks[s.parent] // the call site of the unit
		site = x.prog.procs[s.proc].nodes[call].Pos
	}
	return x.prog.procs[s.proc].nodes[0].Where, site
}

// buckets is a queue of configurations by cost.
type buckets struct {
	list [][]config
	at   int
}

func (b *buckets) add(cost int, c config) {
	for len(b.list) <= cost {
		b.list = append(b.list, nil)
	}
	b.list[cost] = append(b.list[cost], c)
}

func (b *buckets) next() (int, config, bool) {
	for b.at < len(b.list) {
		if l := b.list[b.at]; len(l) > 0 {
			// An item may add further items of the same cost.
			c := l[0]
			b.list[b.at] = l[1:]
			return b.at, c, true
		}
		b.at++
	}
	return 0, config{}, false
}
