package check_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A shape tells what random models have.
type shape struct {
	locks    int
	shared   bool // some locks are taken for reading
	branches bool // choices and loops
	calls    bool
	waits    bool
	stops    bool // stop and early return
	careless bool // some locks are not given up, or not taken
	crossed  bool // locks are not nested
	retries  bool // try and retry
	starts   bool // u starts v, and may wait for its end
	recurses bool
	handed   bool // the helper is called with m, and may give it up
}

// A generator writes a model.
type generator struct {
	*rand.Rand
	shape
	b        strings.Builder
	accesses int // that the process may still do
	// wanted are accesses of a scenario, so that it is often possible.
	wanted  []string
	held    []string
	units   int
	calling bool // there is a helper to call
	recurse bool
}

// maxAccesses bounds the accesses in the text of a process.
const maxAccesses = 4

// preamble names locations and locks, so that their numbers are known.
const preamble = "proc names {\n\tread a\n\tread b\n\tlock m\n\tlock n\n\tlock o\n}\n"

// generate writes a model with the procedures u and v.
func (s shape) generate(r *rand.Rand) string {
	g := &generator{Rand: r, shape: s}
	target := queries[r.IntN(len(queries))]
	g.b.WriteString(preamble)
	switch {
	case s.recurses:
		g.recursive()
	case s.calls && g.maybe(60):
		g.proc("h", func() { g.accesses = 2; g.block(2) })
		g.calling = true
	}
	for i, name := range procs {
		g.wanted = target.accesses(i)
		g.proc(name, func() { g.process(s.starts && i == 0) })
	}
	return g.b.String()
}

// accesses lists what a process does in the scenario.
func (q query) accesses(process int) []string {
	var out []string
	for _, st := range q.scenario.Steps {
		if st.Unit^q.u == process {
			out = append(out, word(st.Write)+" "+locations[q.at[st.Loc]])
		}
	}
	return out
}

// word returns the word for an access.
func word(write bool) string {
	if write {
		return "write"
	}
	return "read"
}

func (g *generator) maybe(percent int) bool { return g.IntN(100) < percent }

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, format+"\n", args...)
}

func (g *generator) proc(name string, body func()) {
	g.held, g.units = nil, 0
	g.line("proc %s {", name)
	body()
	g.line("}")
}

// process writes the body of a process, which may start the other. Most have a
// unit of work over the whole, as scenarios are about units.
func (g *generator) process(child bool) {
	g.accesses = 2 + g.IntN(maxAccesses-1)
	if child && g.maybe(50) {
		g.block(1)
		g.line("start v")
	}
	body := func() {
		if g.maybe(45) {
			g.section(3)
		} else {
			g.block(3)
		}
		for len(g.wanted) > 0 && g.accesses > 0 {
			g.section(1)
		}
	}
	if g.maybe(75) {
		g.unit(func() { g.parent(child, body) })
	} else {
		g.parent(child, body)
	}
	if g.maybe(20) {
		g.block(2)
	}
	if g.stops && g.maybe(30) {
		g.line("stop")
	}
}

// parent writes the start and the join of v around a part of u.
func (g *generator) parent(child bool, body func()) {
	if child && g.maybe(70) {
		g.block(1)
		g.line("start v")
	}
	body()
	if child && g.maybe(60) {
		g.line("join v")
		g.block(2)
	}
}

// recursive writes a procedure that calls itself.
func (g *generator) recursive() {
	g.proc("h", func() {
		g.accesses, g.recurse = 3, true
		if g.handed {
			g.held = []string{"m"}
		}
		g.block(2)
		g.choice(g.call, func() {
			if g.maybe(50) {
				g.block(1)
			}
		})
		if g.maybe(50) {
			g.block(1)
		}
		g.recurse = false
	})
	g.calling = true
}

// block writes up to n statements.
func (g *generator) block(n int) {
	for range 1 + g.IntN(max(1, n)) {
		g.statement(n)
	}
}

func (g *generator) statement(n int) {
	switch k := g.IntN(100); {
	case k < 28 || n == 0:
		g.access()
	case k < 55:
		g.section(n)
	case k < 62:
		g.unit(func() { g.block(n - 1) })
	case k < 68 && g.branches:
		g.choice(func() { g.block(n - 1) }, func() {
			if g.maybe(60) {
				g.block(n - 1)
			}
		})
	case k < 73 && g.branches:
		g.line("loop {")
		g.block(1)
		g.line("}")
	case k < 80 && g.calling:
		g.call()
	case k < 83 && g.recurse:
		g.choice(g.call, func() {})
	case k < 86 && g.waits && len(g.held) > 0:
		at := len(g.held) - 1
		if g.crossed {
			at = g.IntN(len(g.held))
		}
		g.line("wait %s", g.held[at])
	case k < 90 && g.stops:
		last := "stop"
		if g.units == 0 && g.maybe(50) {
			last = "return"
		}
		g.choice(func() { g.block(1); g.line("%s", last) }, func() {})
	case g.retries && k < 98:
		g.retry(n)
	default:
		g.access()
	}
}

// retry writes what is done again if something was wrong.
func (g *generator) retry(n int) {
	if g.maybe(80) {
		g.line("try")
	}
	g.block(n - 1)
	g.choice(func() {
		for _, l := range locations {
			if g.maybe(70) {
				g.line("retry %s", l)
			}
		}
		g.block(n - 1)
	}, func() {})
}

// call writes a call of the helper.
func (g *generator) call() {
	switch {
	case !g.handed || len(g.held) == 1 && g.held[0] == "m":
		g.line("call h")
	case len(g.held) == 0:
		g.line("lock m")
		g.line("call h")
		g.line("unlock m")
	default:
		g.access()
	}
}

// choice writes a choice of two.
func (g *generator) choice(one, other func()) {
	g.line("choice {")
	one()
	g.line("} or {")
	other()
	g.line("}")
}

func (g *generator) unit(body func()) {
	g.units++
	g.line("begin")
	body()
	g.line("end")
	g.units--
}

func (g *generator) access() {
	if g.accesses == 0 {
		return
	}
	g.accesses--
	if len(g.wanted) > 0 && g.maybe(85) {
		g.line("%s", g.wanted[0])
		g.wanted = g.wanted[1:]
		return
	}
	g.line("%s %s", word(g.maybe(50)), locations[g.IntN(len(locations))])
}

// section writes a critical section, mostly of a lock that is not held.
func (g *generator) section(n int) {
	if g.locks == 0 {
		g.access()
		return
	}
	name := string("mno"[g.IntN(g.locks)])
	for _, h := range g.held {
		if h == name && !g.maybe(4) {
			g.access()
			return
		}
	}
	mode := ""
	if g.shared && g.maybe(40) {
		mode = "r"
	}
	if g.crossed && g.maybe(60) {
		g.crossing(n, mode, name)
		return
	}
	if !g.careless || g.maybe(92) {
		g.line("%slock %s", mode, name)
	}
	g.held = append(g.held, name)
	g.block(n - 1)
	g.held = g.held[:len(g.held)-1]
	if !g.careless || g.maybe(92) {
		g.line("%sunlock %s", mode, name)
	}
}

// crossing writes critical sections of two locks that overlap.
func (g *generator) crossing(n int, mode, name string) {
	other := "m"
	if name == "m" {
		other = "n"
	}
	g.line("%slock %s", mode, name)
	g.held = append(g.held, name, other)
	g.access()
	g.line("lock %s", other)
	g.block(n - 1)
	g.line("%sunlock %s", mode, name)
	g.access()
	g.line("unlock %s", other)
	g.held = g.held[:len(g.held)-2]
}
