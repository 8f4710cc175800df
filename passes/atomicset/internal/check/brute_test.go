package check_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
)

// What the checker says is compared with an enumeration of everything that two
// processes can do. It reads the text of the model itself, as far as that is
// structured, writes each process down as a list of all its straight ways, with
// calls expanded and loops and recursion up to a bound, and for each two ways
// follows all interleavings, step by step.

// A statement is a step, a choice or a loop.
type statement struct {
	word   string
	name   string
	blocks [][]statement
}

// A program has the statements of the procedures.
type program map[string][]statement

// readProgram reads a model without labels.
func readProgram(text string) program {
	words := strings.Fields(strings.NewReplacer("{", " { ", "}", " } ").Replace(text))
	prog := make(program)
	for len(words) > 0 {
		var body []statement
		name := words[1]
		body, words = readBlock(words[2:])
		prog[name] = body
	}
	return prog
}

// readBlock reads what is in braces, and returns the words after it.
func readBlock(words []string) ([]statement, []string) {
	var block []statement
	for words = words[1:]; words[0] != "}"; {
		s := statement{word: words[0]}
		words = words[1:]
		switch s.word {
		case "choice", "loop":
			for more := true; more; more = words[0] == "or" {
				if words[0] == "or" {
					words = words[1:]
				}
				var b []statement
				b, words = readBlock(words)
				s.blocks = append(s.blocks, b)
			}
		case "begin", "end", "return", "skip", "stop":
		default:
			s.name, words = words[0], words[1:]
		}
		block = append(block, s)
	}
	return block, words[1:]
}

// An action is a step that another process can notice.
type action struct {
	word string
	name string
	// unit is the number of the outermost unit of work that the step is in,
	// or none.
	unit int
}

const none = -1

// A way is what a process does one after the other. It is over if that is all,
// and the process then ends.
type way struct {
	actions []action
	// held are the locks held before each action, and how.
	held  []map[string]string
	over  bool
	units int // begun so far
	depth int // of units
}

// limits bound the ways of a process.
type limits struct {
	rounds  int // of a loop
	nesting int // of a procedure
	ways    int
}

// A walker lists ways.
type walker struct {
	program
	limits
	active map[string]int
	ways   []way
	full   bool // there are too many ways
}

// ways lists what a process can do that runs a procedure, unless that is too
// much.
func (p program) ways(proc string, l limits) ([]way, bool) {
	w := &walker{program: p, limits: l, active: map[string]int{proc: 1}}
	end := func(at way) { at.over = true; w.emit(at) }
	w.walk(p[proc], way{}, end, end)
	return w.ways, !w.full
}

// emit records a way, up to where the process can only wait for itself.
func (w *walker) emit(at way) {
	held := make(map[string]string)
	at.held = nil
	for i, a := range at.actions {
		at.held = append(at.held, maps.Clone(held))
		if !alone(held, a) {
			at.actions, at.over = at.actions[:i], false
			break
		}
	}
	at.held = append(at.held, held)
	for _, o := range w.ways {
		if o.over == at.over && slices.Equal(o.actions, at.actions) {
			return
		}
	}
	w.ways = append(w.ways, at)
	w.full = w.full || len(w.ways) > w.limits.ways
}

// alone does to the held locks what an action does, and reports whether the
// process can do it if there is no other.
func alone(held map[string]string, a action) bool {
	switch a.word {
	case "lock", "rlock":
		if held[a.name] != "" {
			return false
		}
		held[a.name] = a.word
	case "unlock", "runlock":
		if held[a.name] != strings.Replace(a.word, "un", "", 1) {
			return false
		}
		delete(held, a.name)
	}
	return true
}

// walk follows statements. Then is what comes after them, and leave what comes
// after the procedure.
func (w *walker) walk(list []statement, at way, then, leave func(way)) {
	if w.full {
		return
	}
	if len(list) == 0 {
		then(at)
		return
	}
	s, rest := list[0], list[1:]
	onward := func(at way) { w.walk(rest, at, then, leave) }
	switch s.word {
	case "choice":
		for _, b := range s.blocks {
			w.walk(b, at, onward, leave)
		}
	case "loop":
		w.round(s.blocks[0], 0, at, onward, leave)
	case "call":
		w.call(s.name, at, onward)
	case "return":
		leave(at)
	case "stop":
		w.emit(at)
	default:
		onward(at.after(s))
	}
}

// round follows a loop of which n rounds were done.
func (w *walker) round(body []statement, n int, at way, then, leave func(way)) {
	then(at)
	if n < w.rounds {
		w.walk(body, at, func(at way) { w.round(body, n+1, at, then, leave) }, leave)
	}
}

func (w *walker) call(name string, at way, then func(way)) {
	if w.active[name] == w.nesting {
		w.emit(at) // it goes on, but not in this enumeration
		return
	}
	w.active[name]++
	back := func(at way) {
		w.active[name]--
		then(at)
		w.active[name]++
	}
	w.walk(w.program[name], at, back, back)
	w.active[name]--
}

// after returns the way with one more statement.
func (at way) after(s statement) way {
	do := func(word string) {
		a := action{word, s.name, none}
		if at.depth > 0 {
			a.unit = at.units - 1
		}
		at.actions = append(slices.Clip(at.actions), a)
	}
	switch s.word {
	case "begin":
		if at.depth == 0 {
			at.units++
		}
		at.depth++
	case "end":
		at.depth--
	case "skip":
	case "wait":
		do("unlock")
		do("lock")
	default:
		do(s.word)
	}
	return at
}

// locations are those that are asked about.
var locations = []string{"a", "b"}

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
type progress [(56 + queriesPerWord - 1) / queriesPerWord]uint64

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

// masks has for each access where it takes a scenario on: wherever the process
// does it, and in the one unit of work only, if there are two accesses of the
// process in the scenario.
var masks = func() map[access][2]progress {
	out := make(map[access][2]progress)
	for i, q := range queries {
		for k, st := range q.scenario.Steps {
			same := 0
			for _, other := range q.scenario.Steps {
				if other.Unit == st.Unit {
					same++
				}
			}
			a := access{st.Unit ^ q.u, st.Write, q.at[st.Loc]}
			m := out[a]
			m[same-1].set(i, k)
			out[a] = m
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
		return process != r.parent || i < r.start || a.name != r.ways[process].actions[r.start].name || child.over && at[1-process] == len(child.actions)
	}
	return true
}

// follow finds what all interleavings come to in which u and v do the accesses
// of theirs in the given units.
func (r *race) follow(units [2]int, shortest verdict) {
	n := [2]int{len(r.ways[0].actions), len(r.ways[1].actions)}
	var gains [2][][2]progress
	for p := range gains {
		for _, a := range r.ways[p].actions {
			gains[p] = append(gains[p], gain(p, a, units[p]))
		}
	}
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
				g := &gains[p][at[p]]
				for w := range here {
					to[w] |= here[w] | here[w]&(g[0][w]|g[1][w])<<1
				}
			}
		}
	}
}

// gain returns where an action takes scenarios on.
func gain(process int, a action, unit int) [2]progress {
	location := slices.Index(locations, a.name)
	if a.word != "read" && a.word != "write" {
		return [2]progress{}
	}
	m := masks[access{process, a.word == "write", location}]
	if a.unit == none || a.unit != unit {
		m[1] = progress{}
	}
	return m
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

// procs are the procedures that the two processes run.
var procs = [2]string{"u", "v"}

// enumerate answers all queries about the processes u and v.
func enumerate(ways [2][]way, parent int) verdict {
	shortest := make(verdict, len(queries))
	for i := range shortest {
		shortest[i] = none
	}
	races(ways, parent, func(r *race) bool {
		for g0 := range max(1, r.ways[0].units) {
			for g1 := range max(1, r.ways[1].units) {
				r.follow([2]int{g0, g1}, shortest)
			}
		}
		return true
	})
	return shortest
}
