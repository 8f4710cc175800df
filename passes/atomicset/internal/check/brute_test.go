package check_test

import (
	"slices"

	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
)

// procs are the procedures that the two processes run, and locations those that
// are asked about.
var (
	procs     = [2]string{"u", "v"}
	locations = []string{"a", "b"}
)

// A query is a question: which process is u, and where the scenario is.
type query struct {
	scenario *scenario.Scenario
	u        int // 0 or 1
	at       [2]int
}

// queries are all questions about two processes and two locations.
var queries = func() []query {
	var out []query
	for _, s := range scenario.All {
		for u := range 2 {
			out = append(out, query{s, u, [2]int{0, 1}}, query{s, u, [2]int{1, 0}})
		}
	}
	return out
}()

// progress has for each query how far the scenario has come, each possibility a
// bit: bitsPerQuery for each query.
type progress [5]uint64

const (
	bitsPerQuery   = 5
	queriesPerWord = 64 / bitsPerQuery
)

func (p *progress) set(query, steps int) {
	p[query/queriesPerWord] |= 1 << (query%queriesPerWord*bitsPerQuery + steps)
}

func (p *progress) has(query, steps int) bool {
	return p[query/queriesPerWord]>>(query%queriesPerWord*bitsPerQuery+steps)&1 != 0
}

// An access is what a process does in a scenario.
type access struct {
	process  int
	write    bool
	location int
}

// A gain is where an access takes scenarios on: as the only one of its process,
// and as the first or the second of two, which have to be in one unit of work.
type gain struct{ only, first, second progress }

var gains = func() map[access]*gain {
	out := make(map[access]*gain)
	for i, q := range queries {
		for k, st := range q.scenario.Steps {
			a := access{st.Unit ^ q.u, st.Write, q.at[st.Loc]}
			if out[a] == nil {
				out[a] = new(gain)
			}
			before, after := q.scenario.Steps[:k], q.scenario.Steps[k+1:]
			same := func(o scenario.Step) bool { return o.Unit == st.Unit }
			switch {
			case slices.ContainsFunc(before, same):
				out[a].second.set(i, k)
			case slices.ContainsFunc(after, same):
				out[a].first.set(i, k)
			default:
				out[a].only.set(i, k)
			}
		}
	}
	return out
}()

// start and done are the progress before any step, and after the last.
var start, done = func() (start, done progress) {
	for i, q := range queries {
		start.set(i, 0)
		done.set(i, len(q.scenario.Steps))
	}
	return start, done
}()

// A verdict is what the enumeration finds: for each query the number of steps
// of the shortest interleaving, or none.
type verdict []int

func (v verdict) possible(query int) bool { return v[query] != none }

// A window tells which actions of a way can be the first and the second of two
// accesses.
type window struct{ first, second []bool }

// pair reports whether two accesses can be those of a scenario.
func (w *way) pair(first, second int) bool {
	a, b := w.actions[first], w.actions[second]
	return first < second && a.unit != none && a.unit == b.unit && (a.void == 0 || second < a.void)
}

// windows lists windows that have all pairs, and no others.
func (w *way) windows() []window {
	out := []window{{make([]bool, len(w.actions)), make([]bool, len(w.actions))}}
	unit := none
	for i, a := range w.actions {
		if a.unit == none {
			continue
		}
		last := &out[len(out)-1]
		if a.unit != unit || a.void != 0 {
			out = append(out, window{make([]bool, len(w.actions)), make([]bool, len(w.actions))})
			last = &out[len(out)-1]
			unit = a.unit
			for k := range w.actions {
				last.second[k] = w.pair(i, k)
			}
		}
		last.first[i] = true
		if a.void != 0 {
			unit = none // the window is for this read only
		}
	}
	return out
}

// A race is two processes that run two ways.
type race struct {
	ways [2]*way
	// parent is the process that starts the other, by its action number
	// start, or none.
	parent, start int
}

// can reports whether a process can do its next action, at the given places.
func (r *race) can(process int, at [2]int) bool {
	i := at[process]
	if i == len(r.ways[process].actions) || process == 1-r.parent && r.parent != none && at[r.parent] <= r.start {
		return false
	}
	a := r.ways[process].actions[i]
	other := r.ways[1-process].held[at[1-process]]
	switch a.word {
	case "lock":
		return other[a.name] == ""
	case "rlock":
		return other[a.name] != "lock"
	case "join":
		child := r.ways[1-process]
		return process != r.parent || i < r.start || a.name != procs[1-process] || child.over && at[1-process] == len(child.actions)
	}
	return true
}

// follow finds what all interleavings come to in which pairs of accesses are in
// the given windows.
func (r *race) follow(windows [2]window, shortest verdict) {
	n := [2]int{len(r.ways[0].actions), len(r.ways[1].actions)}
	takes := [2][]progress{r.takes(0, windows[0]), r.takes(1, windows[1])}
	states := make([]progress, (n[0]+1)*(n[1]+1))
	states[0] = start
	for i := range n[0] + 1 {
		for j := range n[1] + 1 {
			at := [2]int{i, j}
			here := states[i*(n[1]+1)+j]
			if here == (progress{}) {
				continue
			}
			record(here, i+j, shortest)
			for p := range 2 {
				if !r.can(p, at) {
					continue
				}
				next := at
				next[p]++
				to := &states[next[0]*(n[1]+1)+next[1]]
				for w, on := range takes[p][at[p]] {
					to[w] |= here[w] | here[w]&on<<1
				}
			}
		}
	}
}

// takes lists where the actions of a process take scenarios on.
func (r *race) takes(process int, in window) []progress {
	var out []progress
	for i, a := range r.ways[process].actions {
		var p progress
		if a.word == "read" || a.word == "write" {
			g := gains[access{process, a.word == "write", slices.Index(locations, a.name)}]
			for w := range p {
				p[w] = g.only[w]
				if in.first[i] {
					p[w] |= g.first[w]
				}
				if in.second[i] {
					p[w] |= g.second[w]
				}
			}
		}
		out = append(out, p)
	}
	return out
}

// record notes the scenarios that are shown after a number of steps.
func record(p progress, steps int, shortest verdict) {
	for w := range p {
		if p[w]&done[w] == 0 {
			continue
		}
		for i := w * queriesPerWord; i < min((w+1)*queriesPerWord, len(queries)); i++ {
			if p.has(i, len(queries[i].scenario.Steps)) && (shortest[i] == none || steps < shortest[i]) {
				shortest[i] = steps
			}
		}
	}
}

// races calls f for each two ways, until it returns false.
func races(ways [2][]way, parent int, f func(*race) bool) {
	for i := range ways[0] {
		for j := range ways[1] {
			pair := [2]*way{&ways[0][i], &ways[1][j]}
			for _, start := range starts(pair, parent) {
				if !f(&race{pair, parent, start}) {
					return
				}
			}
		}
	}
}

// starts lists the actions of the parent that can be the start of the other
// process: it may start several.
func starts(ways [2]*way, parent int) []int {
	if parent == none {
		return []int{none}
	}
	var out []int
	for i, a := range ways[parent].actions {
		if a.word == "start" && a.name == procs[1-parent] {
			out = append(out, i)
		}
	}
	return out
}

// enumerate answers all queries about the processes u and v.
func enumerate(ways [2][]way, parent int) verdict {
	shortest := make(verdict, len(queries))
	for i := range shortest {
		shortest[i] = none
	}
	races(ways, parent, func(r *race) bool {
		for _, w0 := range r.ways[0].windows() {
			for _, w1 := range r.ways[1].windows() {
				r.follow([2]window{w0, w1}, shortest)
			}
		}
		return true
	})
	return shortest
}
