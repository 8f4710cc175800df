package check_test

import (
	"maps"
	"slices"
	"strings"
)

// What the checker says is compared with an enumeration of everything that two
// processes can do. It reads the text of the model itself, as far as that is
// structured, writes each process down as a list of all its straight ways, with
// calls expanded and loops and recursion up to a bound, and for each two ways
// follows all interleavings, step by step: see brute_test.go.

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
		case "begin", "end", "try", "return", "skip", "stop":
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
	// or none, and within the procedure that has begun it.
	unit   int
	within string
	// void is, for a read, the number of the action from which on it does
	// not count any more, or 0.
	void int
}

const none = -1

// A way is what a process does one after the other.
type way struct {
	actions []action
	// held are the locks held before each action and after the last, and how.
	held []map[string]string
	over bool // that is all, and the process then ends

	proc   string // that is under way
	units  int    // begun so far
	depth  int    // of units
	within string // the procedure that has begun the unit
	try    int    // the number of actions before the last try
}

// limits bound the ways of a process.
type limits struct {
	rounds  int // of a loop
	nesting int // of a procedure
	ways    int // looked at
}

// A walker lists ways.
type walker struct {
	program
	limits
	// guide are the only actions that are done, if there are any.
	guide  []action
	active map[string]int
	ways   []way
	count  int // of ways, the same ones too
}

// ways lists what a process can do that runs a procedure, unless that is too
// much.
func (p program) ways(proc string, l limits, guide []action) ([]way, bool) {
	w := &walker{program: p, limits: l, guide: guide, active: map[string]int{proc: 1}}
	end := func(at way) { at.over = true; w.emit(at) }
	w.walk(p[proc], way{proc: proc, held: []map[string]string{{}}}, end, end)
	return w.ways, !w.full()
}

func (w *walker) full() bool { return w.count > w.limits.ways }

// emit records a way, unless there is one already by which the process can do
// the same.
func (w *walker) emit(at way) {
	w.count++
	n := len(at.actions)
	for _, o := range w.ways {
		same := len(o.actions) == n && o.over || !at.over
		if same && len(o.actions) >= n && slices.Equal(o.actions[:n], at.actions) {
			return
		}
	}
	w.ways = append(w.ways, at)
}

// do lets a process do an action, if it can and is meant to.
func (w *walker) do(at way, word, name string, then func(way)) {
	a := action{word: word, name: name, unit: none}
	if at.depth > 0 {
		a.unit, a.within = at.units-1, at.within
	}
	i := len(at.actions)
	held := maps.Clone(at.held[i])
	if !alone(held, a) || w.guide != nil && i == len(w.guide) {
		w.emit(at)
		return
	}
	if w.guide != nil && (w.guide[i].word != word || w.guide[i].name != name) {
		return
	}
	at.actions = append(slices.Clip(at.actions), a)
	at.held = append(slices.Clip(at.held), held)
	then(at)
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
	if w.full() {
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
		at.over = true
		w.emit(at)
	case "skip":
		onward(at)
	case "begin", "end":
		onward(at.unit(s.word))
	case "try":
		at.try = len(at.actions)
		onward(at)
	case "retry":
		onward(at.retry(s.name))
	case "wait":
		w.do(at, "unlock", s.name, func(at way) { w.do(at, "lock", s.name, onward) })
	default:
		w.do(at, s.word, s.name, onward)
	}
}

// unit begins or ends a unit of work.
func (at way) unit(word string) way {
	if word == "end" {
		at.depth--
		return at
	}
	if at.depth == 0 {
		at.units++
		at.within = at.proc
	}
	at.depth++
	return at
}

// retry makes what was read of a location since the last try void.
func (at way) retry(location string) way {
	at.actions = slices.Clone(at.actions)
	for i := at.try; i < len(at.actions); i++ {
		if a := &at.actions[i]; a.word == "read" && a.name == location && a.void == 0 {
			a.void = len(at.actions)
		}
	}
	return at
}

// round follows a loop of which n rounds were done.
func (w *walker) round(body []statement, n int, at way, then, leave func(way)) {
	then(at)
	if n < w.rounds {
		again := func(next way) {
			// A round in which nothing is done is as good as none.
			if len(next.actions) > len(at.actions) {
				w.round(body, n+1, next, then, leave)
			}
		}
		w.walk(body, at, again, leave)
	}
}

func (w *walker) call(name string, at way, then func(way)) {
	if w.active[name] == w.nesting {
		w.emit(at) // it goes on, but not in this enumeration
		return
	}
	caller := at.proc
	w.active[name]++
	back := func(at way) {
		w.active[name]--
		at.proc = caller
		then(at)
		w.active[name]++
	}
	at.proc = name
	w.walk(w.program[name], at, back, back)
	w.active[name]--
}
