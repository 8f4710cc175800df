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
}

// newSubject reads a model. It is not ok if that has too many ways.
func newSubject(t *testing.T, text string, parent int, l limits) (*subject, bool) {
	t.Helper()
	m, err := model.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	s := &subject{text: text, m: m, c: check.New(m), parent: parent, prog: readProgram(text), limits: l}
	return s, s.expand(l)
}

// expand lists the ways of the two processes.
func (s *subject) expand(l limits) bool {
	for i, name := range procs {
		ways, ok := s.prog.ways(name, l)
		if !ok {
			return false
		}
		s.ways[i] = ways
	}
	return true
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

// A tally counts questions.
type tally struct {
	models, asked, possible, traces, vanished, widened int
	methods                                            [3]int
}

// compare asks all queries and reports what is wrong.
func (s *subject) compare(t *testing.T, n *tally, traces int, r *rand.Rand) verdict {
	t.Helper()
	want := enumerate(s.ways, s.parent)
	n.models++
	for i, q := range queries {
		got := s.c.Check(s.question(q))
		n.asked++
		n.methods[got.Method]++
		if got.Possible {
			n.possible++
		}
		if got.Possible && !want.possible(i) {
			// More rounds of a loop may show it.
			want = s.more(want)
		}
		if got.Possible != want.possible(i) {
			t.Errorf("%v, parent %d: got %v, want %v of\n%s", q, s.parent, got, want.possible(i), s.text)
			return want
		}
		if r.IntN(len(queries)) < traces && !s.compareTrace(t, q, want[i]) {
			return want
		}
	}
	return want
}

// more enumerates more rounds and deeper calls.
func (s *subject) more(v verdict) verdict {
	l := s.limits
	l.rounds, l.nesting, l.ways = l.rounds+2, l.nesting+2, 3000
	ways := s.ways
	if s.expand(l) {
		v = enumerate(s.ways, s.parent)
	}
	s.ways = ways
	return v
}

// compareTrace asks for an interleaving, which has to be one of the shortest.
func (s *subject) compareTrace(t *testing.T, q query, want int) bool {
	t.Helper()
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

// word and name return what a step does, in the words of the model.
func (s *subject) name(st check.Step) string {
	switch st.Op {
	case model.Read, model.Write:
		return s.m.Locations[st.Arg]
	case model.Start, model.Join:
		return s.m.Procs[st.Arg].Name
	}
	return s.m.Locks[st.Arg]
}

func (s *subject) show(q query, trace []check.Step) string {
	var b strings.Builder
	for _, st := range trace {
		fmt.Fprintf(&b, "%s: %v %s", procs[st.Unit^q.u], st.Op, s.name(st))
		if st.Access {
			b.WriteString(" *")
		}
		b.WriteByte('\n')
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
	problem := "there is no such way"
	races(s.ways, s.parent, func(r *race) bool {
		if why, ok := s.along(r, q, trace); ok {
			problem = ""
		} else if why != "" {
			problem = why
		}
		return problem != ""
	})
	return problem
}

// along reports whether the two ways come to the steps of the trace, with what
// is wrong although they are the same.
func (s *subject) along(r *race, q query, trace []check.Step) (string, bool) {
	var at [2]int
	var unit [2][]int // of the accesses
	var stuck string
	for i, st := range trace {
		p := st.Unit ^ q.u
		if at[p] == len(r.ways[p].actions) {
			return "", false
		}
		a := r.ways[p].actions[at[p]]
		if a.word != st.Op.String() || a.name != s.name(st) {
			return "", false
		}
		if !r.can(p, at) && stuck == "" {
			stuck = fmt.Sprintf("step %d is not possible", i+1)
		}
		if st.Access {
			unit[p] = append(unit[p], a.unit)
		}
		at[p]++
	}
	for _, u := range unit {
		if len(u) > 1 && (u[0] == none || u[0] != u[1]) {
			return "the accesses are not in one unit of work", false
		}
	}
	return stuck, stuck == ""
}

func TestEnumeration(t *testing.T) {
	for _, test := range []struct {
		name  string
		shape shape
		count int
		// traces is for how many queries of a model traces are asked for.
		traces, product int
	}{
		{name: "no locks", shape: shape{branches: true}, count: 500, traces: 2},
		{name: "nested", shape: shape{locks: 2}, count: 3000, traces: 2},
		{name: "nested and shared", shape: shape{locks: 2, shared: true, branches: true}, count: 3000, traces: 2},
		{name: "three locks", shape: shape{locks: 3, shared: true}, count: 1000, traces: 2},
		{name: "calls and waits", shape: shape{locks: 2, shared: true, calls: true, branches: true, waits: true}, count: 2000, traces: 2},
		{name: "stops", shape: shape{locks: 2, calls: true, stops: true, branches: true}, count: 1000, traces: 2},
		{name: "careless", shape: shape{locks: 2, careless: true, waits: true, shared: true}, count: 300, traces: 2},
		{name: "starts", shape: shape{locks: 1, starts: true, branches: true}, count: 1000, traces: 2},
		{name: "starts and calls", shape: shape{locks: 2, starts: true, calls: true, shared: true}, count: 500, traces: 2},
		{name: "recursion", shape: shape{locks: 2, recurses: true}, count: 300, traces: 2},
		{name: "crossed", shape: shape{locks: 2, crossed: true, shared: true}, count: 100, traces: 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := new(tally)
			r := rand.New(rand.NewPCG(5, 6))
			tried := 0
			for n.models < test.count && !t.Failed() {
				tried++
				parent := none
				if test.shape.starts {
					parent = 0
				}
				s, ok := newSubject(t, test.shape.generate(r), parent, limits{rounds: 2, nesting: 3, ways: 60})
				if !ok {
					continue
				}
				s.compare(t, n, test.traces, r)
			}
			t.Logf("tried %d %+v", tried, *n)
		})
	}
}
