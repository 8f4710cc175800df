package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/atomicset/internal/check"
	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
)

// A subject is a model with the processes u and v, both for the checker and
// for the enumeration.
type subject struct {
	text   string
	m      *model.Model
	c      *check.Checker
	parent int
	prog   program
	limits limits
	ways   [2][]way
	free   [2][]way // if no locks are taken
}

// newSubject reads a model. It is not ok if that has too many ways.
func newSubject(t *testing.T, text string, parent int, l limits) (*subject, bool) {
	t.Helper()
	m, err := model.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, p := range m.Procs {
		for i := range p.Nodes {
			p.Nodes[i].Where = p.Name
		}
	}
	s := &subject{text: text, m: m, c: check.New(m), parent: parent, prog: readProgram(text), limits: l}
	free := readProgram(unlocked(text))
	for i, name := range procs {
		var ok, okFree bool
		s.ways[i], ok = s.prog.ways(name, l, nil)
		s.free[i], okFree = free.ways(name, l, nil)
		if !ok || !okFree {
			return nil, false
		}
	}
	return s, true
}

func (s *subject) proc(name string) int {
	return slices.IndexFunc(s.m.Procs, func(p *model.Proc) bool { return p.Name == name })
}

// question returns a query as the checker is asked it.
func (s *subject) question(q query) check.Question {
	out := check.Question{Scenario: q.scenario}
	out.U, out.V, out.Parent = s.proc(procs[q.u]), s.proc(procs[1-q.u]), -1
	if s.parent != none {
		out.Parent = s.parent ^ q.u
	}
	for i, l := range q.at {
		out.Locations[i] = slices.Index(s.m.Locations, locations[l])
	}
	return out
}

func (q query) String() string {
	return fmt.Sprintf("scenario %d with u = %s, at %s", q.scenario.Number, procs[q.u], q.scenario.Name(locations[q.at[0]], locations[q.at[1]]))
}

// A tally counts models, questions asked of the checker and traces.
type tally struct {
	models, asked, traces int
	// live are the questions that are possible if all locks are left out, and
	// possible those that are so.
	live, possible int
	// excluded are possible questions that are asked again with all units of
	// one process excluding those of the other, and vanished those that are
	// not possible then.
	excluded, vanished int
	methods            [3]int
}

func (n *tally) add(o *tally) {
	n.models += o.models
	n.asked += o.asked
	n.traces += o.traces
	n.live += o.live
	n.possible += o.possible
	n.excluded += o.excluded
	n.vanished += o.vanished
	for i := range n.methods {
		n.methods[i] += o.methods[i]
	}
}

// compare asks queries and reports what is wrong: those that are possible or
// would be so without locks, and a share of the others in percent.
func (s *subject) compare(t *testing.T, n *tally, others int, r *rand.Rand) verdict {
	t.Helper()
	n.models++
	want := enumerate(s.ways, s.parent)
	live := enumerate(s.free, s.parent)
	for i, q := range queries {
		ask, trace := true, true
		switch {
		case live.possible(i):
			n.live++
		case want.possible(i):
			t.Errorf("%v is possible with locks only in\n%s", q, s.text)
		default:
			ask, trace = r.IntN(100) < others, r.IntN(1000) < others/5
		}
		if ask && !s.compareAnswer(t, n, q, want.possible(i)) || trace && !s.compareTrace(t, n, q, want[i]) {
			return want
		}
	}
	return want
}

// exclude asks the possible queries again with the units excluding each other.
// Other queries must not become possible.
func (s *subject) exclude(t *testing.T, n *tally, before verdict) {
	t.Helper()
	wide, ok := newSubject(t, excluded(s.text), s.parent, s.limits)
	if !ok {
		return
	}
	after := enumerate(wide.ways, s.parent)
	for i, q := range queries {
		switch {
		case before.possible(i):
			n.excluded++
			if !after.possible(i) {
				n.vanished++
			}
			wide.compareAnswer(t, new(tally), q, after.possible(i))
		case after.possible(i):
			t.Errorf("%v is possible with one more lock only in\n%s", q, s.text)
		}
	}
}

// compareAnswer asks the checker whether a scenario is possible.
func (s *subject) compareAnswer(t *testing.T, n *tally, q query, want bool) bool {
	t.Helper()
	got := s.c.Check(s.question(q))
	n.asked++
	n.methods[got.Method]++
	if want {
		n.possible++
	}
	if got.Possible != want {
		t.Errorf("%v, parent %d: got %v, want %v of\n%s", q, s.parent, got, want, s.text)
		return false
	}
	return true
}

// unlocked returns a model without what it does with locks.
func unlocked(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return strings.Contains(line, "lock ") || strings.HasPrefix(line, "wait ")
	}), "\n")
}

// excluded returns a model with a lock more, which is held in each outermost
// unit of a procedure.
func excluded(text string) string {
	var out []string
	depth := 0
	for _, line := range strings.Split(text, "\n") {
		if line == "end" {
			depth--
			if depth == 0 {
				out = append(out, "unlock w")
			}
		}
		out = append(out, line)
		if line == "begin" {
			if depth == 0 {
				out = append(out, "lock w")
			}
			depth++
		}
	}
	return strings.Join(out, "\n")
}

// compareTrace asks for an interleaving, which has to be one of the shortest.
func (s *subject) compareTrace(t *testing.T, n *tally, q query, want int) bool {
	t.Helper()
	n.traces++
	trace := s.c.Trace(s.question(q))
	switch {
	case trace == nil && want == none:
		return true
	case trace == nil || want == none:
		t.Errorf("%v, parent %d: got a trace of %d steps, want %d of\n%s", q, s.parent, len(trace), want, s.text)
		return false
	}
	if problem := s.replay(q, trace); problem != "" {
		t.Errorf("%v, parent %d: %s in\n%s\nof\n%s", q, s.parent, problem, s.show(q, trace), s.text)
		return false
	}
	if len(trace) != want {
		t.Errorf("%v, parent %d: the shortest trace has %d steps, and not those of\n%s\nof\n%s", q, s.parent, want, s.show(q, trace), s.text)
		return false
	}
	return true
}

// name returns what a step is done to.
func (s *subject) name(st check.Step) string {
	switch st.Op {
	case model.Read, model.Write:
		return s.m.Locations[st.Arg]
	case model.Start, model.Join:
		return s.m.Procs[st.Arg].Name
	}
	return s.m.Locks[st.Arg]
}

// show writes a trace down, the steps of one process after the other together.
func (s *subject) show(q query, trace []check.Step) string {
	var b strings.Builder
	for i, st := range trace {
		switch {
		case i > 0 && trace[i-1].Unit == st.Unit:
			b.WriteString(", ")
		case i > 0:
			b.WriteString("; ")
			fallthrough
		default:
			fmt.Fprintf(&b, "%s: ", procs[st.Unit^q.u])
		}
		fmt.Fprintf(&b, "%v %s", st.Op, s.name(st))
		if st.Access {
			b.WriteString(" *")
		}
	}
	return b.String()
}

// replay tells what is wrong with a trace, if anything is.
func (s *subject) replay(q query, trace []check.Step) string {
	var steps []string
	lines := strings.Split(s.text, "\n")
	for _, st := range trace {
		if st.Access {
			steps = append(steps, fmt.Sprint(st.Unit, st.Op == model.Write, s.name(st)))
		}
		line := strings.TrimSpace(lines[st.Pos-1])
		if line != st.Op.String()+" "+s.name(st) && line != "wait "+s.name(st) {
			return fmt.Sprintf("%v %s is not in line %d", st.Op, s.name(st), st.Pos)
		}
	}
	var want []string
	for _, st := range q.scenario.Steps {
		want = append(want, fmt.Sprint(st.Unit, st.Write, locations[q.at[st.Loc]]))
	}
	if !slices.Equal(steps, want) || !trace[len(trace)-1].Access {
		return "the accesses are not those of the scenario"
	}
	var ways [2][]way
	for p, name := range procs {
		guide := []action{}
		for _, st := range trace {
			if st.Unit^q.u == p {
				guide = append(guide, action{word: st.Op.String(), name: s.name(st)})
			}
		}
		ways[p], _ = s.prog.ways(name, limits{rounds: 8, nesting: 8, ways: 1000}, guide)
	}
	problem := "there is no such way"
	races(ways, s.parent, func(r *race) bool {
		if why, ok := s.along(r, q, trace); ok {
			problem = ""
		} else if why != "" {
			problem = why
		}
		return problem != ""
	})
	return problem
}

// along reports whether two processes that run the two ways can do the steps of
// the trace, and if they do not what is wrong with it.
func (s *subject) along(r *race, q query, trace []check.Step) (string, bool) {
	var at [2]int
	var accesses [2][]int
	var problem string
	for i, st := range trace {
		p := st.Unit ^ q.u
		if at[p] == len(r.ways[p].actions) {
			return "", false
		}
		switch {
		case problem != "":
		case !r.can(p, at):
			problem = fmt.Sprintf("step %d is not possible", i+1)
		case st.Within != r.ways[p].actions[at[p]].within:
			problem = fmt.Sprintf("step %d is in the unit %q", i+1, st.Within)
		case st.Held != s.locks(r.ways[p].held[at[p]+1]):
			problem = fmt.Sprintf("after step %d the locks %b are held", i+1, st.Held)
		}
		if st.Access {
			accesses[p] = append(accesses[p], at[p])
		}
		at[p]++
	}
	for p, a := range accesses {
		if len(a) > 1 && !r.ways[p].pair(a[0], a[1]) {
			return "the accesses of a process are not in one unit of work, or the first is void", false
		}
	}
	return problem, problem == ""
}

// locks returns the set of the locks.
func (s *subject) locks(held map[string]string) uint32 {
	var set uint32
	for name := range held {
		set |= 1 << slices.Index(s.m.Locks, name)
	}
	return set
}

func TestEnumeration(t *testing.T) {
	total, left := new(tally), 0
	for _, test := range []struct {
		name   string
		shape  shape
		count  int
		others int // in percent
		nested bool
	}{
		{"no locks", shape{branches: true}, 300, 100, true},
		{"nested", shape{locks: 2}, 2500, 100, true},
		{"nested and shared", shape{locks: 2, shared: true, branches: true}, 2500, 100, true},
		{"three locks", shape{locks: 3, shared: true}, 500, 100, true},
		{"calls and waits", shape{locks: 2, shared: true, calls: true, branches: true, waits: true}, 900, 100, true},
		{"retries", shape{locks: 1, shared: true, calls: true, retries: true, branches: true}, 400, 100, true},
		{"stops", shape{locks: 2, calls: true, stops: true, branches: true}, 500, 50, false},
		{"careless", shape{locks: 2, careless: true, waits: true, shared: true}, 500, 50, false},
		{"starts", shape{locks: 1, starts: true, branches: true}, 500, 50, true},
		{"starts and calls", shape{locks: 2, starts: true, calls: true, shared: true}, 200, 50, false},
		{"starts and careless", shape{locks: 1, starts: true, careless: true}, 500, 20, false},
		{"starts and stops", shape{locks: 1, starts: true, calls: true, stops: true}, 400, 20, false},
		{"recursion", shape{locks: 2, recurses: true}, 300, 50, true},
		{"recursion and waits", shape{locks: 2, recurses: true, waits: true, handed: true}, 150, 50, true},
		{"recursion and retries", shape{locks: 1, recurses: true, retries: true}, 60, 50, true},
		{"starts and recursion", shape{locks: 1, starts: true, recurses: true}, 60, 20, false},
		{"crossed", shape{locks: 2, crossed: true, shared: true}, 700, 10, false},
		{"crossed and waits", shape{locks: 2, crossed: true, waits: true, branches: true}, 300, 10, false},
	} {
		left++
		t.Run(test.name, func(t *testing.T) {
			left--
			n := test.shape.run(t, test.count, test.others)
			if test.nested && n.methods[check.Histories] != n.asked {
				t.Errorf("locks are nested, but the methods are %v", n.methods)
			}
			if test.shape.crossed && n.methods[check.Product] < n.asked/2 {
				t.Errorf("locks are not nested, but the methods are %v", n.methods)
			}
			total.add(n)
		})
	}
	t.Logf("%+v", *total)
	if left == 0 {
		total.sound(t)
	}
}

// run compares random models.
func (s shape) run(t *testing.T, count, others int) *tally {
	n := new(tally)
	r := rand.New(rand.NewPCG(5, 6))
	parent := none
	if s.starts {
		parent = 0
	}
	for n.models < count && !t.Failed() {
		m, ok := newSubject(t, s.generate(r), parent, limits{rounds: 2, nesting: 3, ways: 60})
		if !ok {
			continue
		}
		v := m.compare(t, n, others, r)
		if n.models%8 == 0 {
			m.exclude(t, n, v)
		}
	}
	return n
}

// sound fails the test unless the questions were such that wrong answers show.
func (n *tally) sound(t *testing.T) {
	t.Helper()
	share := func(what string, a, of int) {
		t.Helper()
		if a*10 < of {
			t.Errorf("%d of %d questions are %s", a, of, what)
		}
	}
	share("possible", n.possible, n.live)
	share("not possible because of the locks", n.live-n.possible, n.live)
	share("not possible any more with one more lock", n.vanished, n.excluded)
	share("possible even with one more lock", n.excluded-n.vanished, n.excluded)
	share("answered by a search of the product", n.methods[check.Product]*20, n.asked)
	if n.methods[check.Bounded] > 0 {
		t.Errorf("%d answers are not exact", n.methods[check.Bounded])
	}
	if n.models < 10000 {
		t.Errorf("there are %d models only", n.models)
	}
}
