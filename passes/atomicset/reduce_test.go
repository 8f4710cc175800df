package atomicset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/atomicset/internal/check"
	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
)

func parseModel(t *testing.T, text string) *model.Model {
	t.Helper()
	m, err := model.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return m
}

// roots returns the procedures of the processes.
func roots(m *model.Model) (out []int) {
	for _, p := range m.Processes {
		out = append(out, p.Proc)
	}
	return out
}

// reduced reduces a model, and checks that it has not become larger and can
// still be printed and read.
func reduced(t *testing.T, text string) *model.Model {
	t.Helper()
	m := parseModel(t, text)
	before := sizeOf(m)
	reduce(m, roots(m))
	after := sizeOf(m)
	if after.procs > before.procs || after.nodes > before.nodes || after.locks > before.locks {
		t.Errorf("%v has become %v:\n%s", before, after, m)
	}
	return m
}

// TestReduce looks at what is left of small models.
func TestReduce(t *testing.T) {
	for _, test := range []struct {
		name, text string
		// want are the statements that are left, in their order, but for skips.
		want  string
		locks int
	}{
		{
			"nothing to do",
			"process a = p proc p { begin lock m read x unlock m end }",
			"begin lock m read x unlock m end return", 1,
		},
		{
			"a lock that is not held at an access",
			"process a = p proc p { lock m unlock m lock n read x unlock n }",
			"lock n read x unlock n return", 1,
		},
		{
			"one that another process holds at an access",
			"process a = p process b = q proc p { lock m unlock m } proc q { lock m read x unlock m }",
			"lock m unlock m return lock m read x unlock m return", 1,
		},
		{
			"one that a caller holds",
			"process a = p proc p { lock m call q unlock m } proc q { read x }",
			"lock m call q unlock m return read x return", 1,
		},
		{
			"one that a callee takes",
			"process a = p proc p { call q read x unlock m } proc q { lock m }",
			"call q read x unlock m return lock m return", 1,
		},
		{
			"one that a callee gives up",
			"process a = p proc p { lock m call q } proc q { unlock m read x }",
			"lock m call q return unlock m read x return", 1,
		},
		{
			"one that is held over a call of what does nothing",
			"process a = p proc p { lock m call q unlock m read x } proc q { skip }",
			"read x return", 0,
		},
		{
			"one that is held on one of two ways",
			"process a = p proc p { choice { lock m } or { skip } read x }",
			"lock m read x return", 1,
		},
		{
			"one that is waited with",
			"process a = p proc p { lock m wait m read x unlock m lock n wait n unlock n }",
			"lock m wait m read x unlock m return", 1,
		},
		{
			"one held by one that nobody runs",
			"process a = p proc p { read x lock m unlock m } proc q { lock m read x unlock m }",
			"read x return", 0,
		},
		{
			"one for reading",
			"process a = p proc p { rlock m read x runlock m rlock n runlock n }",
			"rlock m read x runlock m return", 1,
		},
		{
			"calls of what does nothing, at any depth",
			"process a = p proc p { call q read x call r } proc q { call r begin end } proc r { loop { call q } }",
			"read x return", 0,
		},
		{
			"recursion with an access",
			"process a = p proc p { choice { call p } or { read x } }",
			"call p read x return", 0,
		},
		{
			"a call of what never returns",
			"process a = p proc p { call q read x } proc q { call q }",
			"call q read x return call q return", 0,
		},
		{
			"starts and joins stay",
			"process a = p process b = q proc p { start q join q read x } proc q { skip }",
			"start q join q read x return return", 0,
		},
		{
			"retries stay",
			"process a = p proc p { begin try read x choice { retry x } or { write x } end }",
			"begin try read x retry x write x end return", 0,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := reduced(t, test.text)
			var got []string
			for _, p := range m.Procs {
				for _, n := range p.Nodes {
					if n.Op != model.Skip { // where ways part and meet, and where procedures begin
						got = append(got, word(m, n))
					}
				}
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("%s is left, want %s:\n%s", text, test.want, m)
			}
			if len(m.Locks) != test.locks {
				t.Errorf("locks %v, want %d", m.Locks, test.locks)
			}
		})
	}
}

func word(m *model.Model, n model.Node) string {
	switch {
	case n.Op.OnLock():
		return n.Op.String() + " " + m.Locks[n.Arg]
	case n.Op == model.Read || n.Op == model.Write || n.Op == model.Retry:
		return n.Op.String() + " " + m.Locations[n.Arg]
	case n.Op == model.Call || n.Op == model.Start || n.Op == model.Join:
		return n.Op.String() + " " + m.Procs[n.Arg].Name
	}
	return n.Op.String()
}

// TestReduceAnswers compares the answers before and after models are reduced: no
// scenario becomes possible or impossible.
func TestReduceAnswers(t *testing.T) {
	const models = 60
	r := rand.New(rand.NewPCG(1, 2))
	possible, impossible := 0, 0
	for range models {
		w := &writer{Rand: r}
		text := w.model()
		whole := parseModel(t, text)
		small := reduced(t, text)
		c, d := check.New(whole), check.New(small)
		for _, s := range scenario.All {
			for _, q := range questions(whole, s) {
				want, got := c.Check(q), d.Check(q)
				if want.Method == check.Bounded || got.Method == check.Bounded {
					continue
				}
				if got.Possible != want.Possible {
					t.Fatalf("%s by %v, with locations %v: %t, reduced %t\n%s\nreduced:\n%s",
						s, q.Pair, q.Locations, want.Possible, got.Possible, text, small)
				}
				if want.Possible {
					possible++
				} else {
					impossible++
				}
			}
		}
	}
	t.Logf("%d models: %d answers yes, %d no", models, possible, impossible)
	if possible < 5*models || impossible < 5*models {
		t.Error("this is not much")
	}
}

// questions asks about both orders of the two processes, with and without the
// one being started by the other.
func questions(m *model.Model, s *scenario.Scenario) (out []check.Question) {
	u, v := m.Processes[0].Proc, m.Processes[1].Proc
	for _, locs := range [][2]int{{0, 1}, {1, 0}} {
		for _, pair := range []check.Pair{{U: u, V: v, Parent: -1}, {U: v, V: u, Parent: -1}, {U: u, V: u, Parent: -1}, {U: u, V: v, Parent: 0}, {U: v, V: u, Parent: 1}} {
			out = append(out, check.Question{Pair: pair, Scenario: s, Locations: locs})
		}
	}
	return out
}

// A writer writes models at random: a process u, which may start v, both with
// units of work, helpers that they call, some of which do nothing or only lock,
// and locks that matter or not.
type writer struct {
	*rand.Rand
	b      strings.Builder
	held   []string
	helper bool
}

func (w *writer) model() string {
	w.b.WriteString("process u = u\nprocess v = v\n")
	// All names, so that locations have the same numbers in all models.
	w.b.WriteString("proc names { read x read y }\n")
	for _, name := range []string{"u", "v"} {
		fmt.Fprintf(&w.b, "proc %s {\n", name)
		starts := name == "u" && w.IntN(2) == 0
		if starts {
			w.block(1)
			w.b.WriteString("start v\n")
		}
		w.b.WriteString("begin\n")
		w.block(4)
		w.b.WriteString("end\n")
		if starts && w.IntN(2) == 0 {
			w.b.WriteString("join v\nbegin\nread x\nread y\nend\n")
		}
		w.b.WriteString("}\n")
	}
	w.helper = true // it does not call itself, so it returns
	w.b.WriteString("proc h { ")
	w.block(2)
	w.b.WriteString("}\nproc idle { skip lock o skip unlock o choice { call idle } or { skip } }\nproc deep { call idle call deeper }\nproc deeper { call idle read y call idle }\n")
	w.b.WriteString("proc take { lock m }\nproc give { unlock m }\n")
	return w.b.String()
}

func (w *writer) block(n int) {
	for range 1 + w.IntN(n) {
		w.statement(n)
	}
}

func (w *writer) statement(n int) {
	write := func(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }
	holds := func(l string) bool { return strings.Contains(strings.Join(w.held, " "), l) }
	switch k := w.IntN(12); {
	case n <= 1 || k < 3:
		write("%s %s", []string{"read", "write"}[w.IntN(2)], []string{"x", "y"}[w.IntN(2)])
	case k < 6:
		l := []string{"m", "n", "o"}[w.IntN(3)]
		if holds(l) {
			write("skip")
			return
		}
		mode := []string{"", "", "r"}[w.IntN(3)]
		byCall := l == "m" && mode == "" && w.IntN(3) == 0
		if byCall {
			write("call take")
		} else {
			write("%slock %s", mode, l)
		}
		w.held = append(w.held, l)
		if w.IntN(4) > 0 {
			w.block(n - 1)
		}
		if w.IntN(6) == 0 && mode == "" {
			write("wait %s", l)
		}
		w.held = w.held[:len(w.held)-1]
		if byCall {
			write("call give")
		} else {
			write("%sunlock %s", mode, l)
		}
	case k < 8:
		write("choice {")
		w.block(n - 1)
		write("} or {")
		if w.IntN(2) == 0 {
			w.block(n - 1)
		}
		write("}")
	case k == 8:
		write("loop {")
		w.block(n - 1)
		write("}")
	case k == 9:
		write("try")
		w.block(n - 1)
		write("choice { retry %s } or { skip }", []string{"x", "y"}[w.IntN(2)])
	case k == 10 && len(w.held) == 0 && !w.helper:
		write("call %s", []string{"h", "idle", "deep"}[w.IntN(3)])
	default:
		write("skip")
	}
}
