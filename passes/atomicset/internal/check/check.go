// Package check decides whether two processes of a model can interleave so that they show
// a problematic data access scenario.
//
// The processes take and release locks in nested order. Then each process can be analyzed
// alone (Kahlon, Ivančić, Gupta: Reasoning about threads communicating via locks, CAV
// 2005): all that matters of a run are the locks that it holds and the order in which it
// takes them, its lock history. A scenario divides a run into phases, and two runs can be
// interleaved to show it if and only if their histories are compatible in each phase
// (Kidd, Lammich, Touili, Reps: A decision procedure for detecting atomicity violations
// for communicating processes with locks, SPIN 2009). Runs with calls, recursive ones
// too, are followed by saturation: the effect of a procedure from one state of the
// process is computed once, see runs.go. The answer is exact.
//
// The interleaving in a report is found by a search of the product of the two processes,
// see explore.go, which returns the shortest. The same search also replaces the histories
// where locks are not nested; the answer then says so.
//
// Both abstract from data: any branch can be taken.
package check

import (
	"slices"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
)

// A Pair is two processes that run concurrently, by their entry procedures. The first
// makes the accesses of u in a scenario, the second those of u'.
type Pair struct {
	U, V int // indexes of the procedures
	// Parent says which of the two starts the other: 0 or 1, or -1 if they run
	// concurrently from the beginning.
	Parent int
}

// A Question is whether a pair can show a scenario at two locations. A scenario about one
// location does not use the second.
type Question struct {
	Pair
	Scenario  *scenario.Scenario
	Locations [2]int // the indexes of a and b in the model
}

// A Method is the procedure by which an answer was found.
type Method uint8

const (
	Histories Method = iota // by lock histories: exact
	Product                 // by a search of the whole product: exact
	Bounded                 // by a search of a part of it
)

// String returns the method as -stats shows it.
func (m Method) String() string {
	return [...]string{"lock histories", "product", "bounded search"}[m]
}

// An Answer says whether the scenario is possible. If the method is Bounded, the scenario
// may be possible although Possible is false.
type Answer struct {
	Possible bool   // an interleaving shows the scenario
	Method   Method // how the answer was found
}

// A Checker answers questions about one model.
type Checker struct {
	prog *program
	runs map[runKey]*runSet
	// reach caches the nodes from which accesses are reached: see explorer.reaching.
	reach map[target][][]bool
	// states counts the states visited by searches, and partial the partial runs of the
	// saturation; both are bounded.
	states, partial int
	maxStates       int
	maxPartial      int
	last            *explorer // the last search, see search
	// accesses caches the accesses of processes.
	accesses map[int][2][]int
}

// New returns a checker of a model. The model must not be changed afterwards.
func New(m *model.Model) *Checker {
	return &Checker{prog: newProgram(m), maxStates: maxAllStates, maxPartial: maxAllRuns, runs: make(map[runKey]*runSet), reach: make(map[target][][]bool), accesses: make(map[int][2][]int)}
}

// Hurry tightens the bounds, for a model that need not be answered exactly: questions
// that exceed them are answered by a bounded search.
func (c *Checker) Hurry() { c.maxStates, c.maxPartial = maxAllStates/10, maxAllRuns/3 }

// Check answers a question.
func (c *Checker) Check(q Question) Answer {
	u, v := c.runsOf(q, 0), c.runsOf(q, 1)
	if u.complete && v.complete {
		return Answer{Possible: compatible(u.runs[events(q, 0)], v.runs[events(q, 1)]), Method: Histories}
	}
	x := c.search(q)
	method := Product
	if x.cut {
		method = Bounded
	}
	return Answer{Possible: x.trace != nil, Method: method}
}

// Trace returns the shortest interleaving that shows the scenario, or nil if the scenario
// is impossible or the interleaving exceeds the bounds of the search.
func (c *Checker) Trace(q Question) []Step { return c.search(q).trace }

// search explores the product for a question. It keeps the last result, as a caller that
// gets a positive answer asks for the trace next.
func (c *Checker) search(q Question) *explorer {
	if c.last == nil || c.last.q != q {
		c.last = c.explore(q)
	}
	return c.last
}

// compatible reports whether a run of one process can be interleaved with one
// of the other.
func compatible(us, vs []*run) bool {
	for _, u := range us {
		for _, v := range vs {
			ok := true
			for i := range u.phases {
				if !u.phases[i].compatible(v.phases[i]) {
					ok = false
					break
				}
			}
			if ok {
				return true
			}
		}
	}
	return false
}

// An event is an access of a process that is part of the scenario.
type event int16

const noEvent event = -1

func eventOf(write bool, loc int) event {
	if write {
		return event(2*loc + 1)
	}
	return event(2 * loc)
}

// events returns the accesses of the unit in the scenario.
func events(q Question, unit int) [2]event {
	out := [2]event{noEvent, noEvent}
	n := 0
	for _, s := range q.Scenario.Steps {
		if s.Unit == unit {
			out[n] = eventOf(s.Write, q.Locations[s.Loc])
			n++
		}
	}
	return out
}

// A role gives the phases that end with an access of the process itself. The other phases
// end with an access of the other process.
type role struct {
	phases int
	own    [4]bool
	double bool // two accesses, in one unit of work
}

func roleOf(s *scenario.Scenario, unit int) role {
	r := role{phases: len(s.Steps)}
	n := 0
	for i, st := range s.Steps {
		if st.Unit == unit {
			r.own[i] = true
			n++
		}
	}
	r.double = n == 2
	return r
}

// A runKey is what the runs of a process in a role depend on.
type runKey struct {
	role
	proc  int
	child int // the procedure of the process that it starts, or -1
	born  bool
}

func (c *Checker) runsOf(q Question, unit int) *runSet {
	procs := [2]int{q.U, q.V}
	k := runKey{role: roleOf(q.Scenario, unit), proc: procs[unit], child: -1}
	if q.Parent == unit {
		k.child = procs[1-unit]
	}
	k.born = q.Parent == 1-unit
	r := c.runs[k]
	if r == nil {
		r = new(runSet)
		if c.partial < c.maxPartial {
			r = c.prog.findRuns(k)
			c.partial += r.partial
		}
		c.runs[k] = r
	}
	return r
}

// Accesses returns the locations that a process reads and those that it writes.
func (c *Checker) Accesses(proc int) (reads, writes []int) {
	if known, ok := c.accesses[proc]; ok {
		return known[0], known[1]
	}
	for _, p := range c.prog.m.Reachable(proc) {
		for _, n := range c.prog.procs[p].nodes {
			switch n.Op {
			case model.Read:
				reads = append(reads, n.Arg)
			case model.Write:
				writes = append(writes, n.Arg)
			}
		}
	}
	slices.Sort(reads)
	slices.Sort(writes)
	reads, writes = slices.Compact(reads), slices.Compact(writes)
	c.accesses[proc] = [2][]int{reads, writes}
	return reads, writes
}
