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
	starts   bool // u starts v, and may wait for its end
	recurses bool
}

// A generator writes a model.
type generator struct {
	*rand.Rand
	shape
	b        strings.Builder
	accesses int // that the process may still do
	held     []string
	units    int
	calling  bool // there is a helper to call
	self     string
	recurse  bool
}

// maxAccesses bounds the accesses in the text of a process.
const maxAccesses = 4

// preamble names locations and locks, so that their numbers are known.
const preamble = "proc names {\n\tread a\n\tread b\n\tlock m\n\tlock n\n\tlock o\n}\n"

// generate writes a model with the procedures u and v.
func (s shape) generate(r *rand.Rand) string {
	g := &generator{Rand: r, shape: s}
	g.b.WriteString(preamble)
	helper := s.calls && g.maybe(60)
	recursive := s.recurses
	if helper {
		g.proc("h", func() { g.accesses = 2; g.block(2) })
	}
	g.calling = helper
	if recursive {
		g.recursive()
	}
	for _, name := range procs {
		g.proc(name, func() { g.process(name) })
	}
	return g.b.String()
}

func (g *generator) maybe(percent int) bool { return g.IntN(100) < percent }

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, format+"\n", args...)
}

func (g *generator) proc(name string, body func()) {
	g.self, g.held, g.units = name, nil, 0
	g.line("proc %s {", name)
	body()
	g.line("}")
}

// process writes the body of a process. Most have a unit of work over the
// whole, as scenarios are about units.
func (g *generator) process(name string) {
	g.accesses = 1 + g.IntN(maxAccesses)
	child := g.starts && name == procs[0]
	if child && g.maybe(50) {
		g.block(1)
		g.line("start v")
	}
	if g.maybe(75) {
		g.unit(func() { g.parent(child, func() { g.block(3) }) })
	} else {
		g.parent(child, func() { g.block(3) })
	}
	if g.maybe(20) {
		g.block(2)
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
		g.block(2)
		g.choice(func() { g.line("call h") }, func() {
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
	case k < 30 || n == 0:
		g.access()
	case k < 60:
		g.section(n)
	case k < 68:
		g.unit(func() { g.block(n - 1) })
	case k < 74 && g.branches:
		g.choice(func() { g.block(n - 1) }, func() {
			if g.maybe(60) {
				g.block(n - 1)
			}
		})
	case k < 79 && g.branches:
		g.line("loop {")
		g.block(1)
		g.line("}")
	case k < 86 && g.calling:
		g.line("call h")
	case k < 90 && g.recurse:
		g.choice(func() { g.line("call h") }, func() {})
	case k < 93 && g.waits && len(g.held) > 0:
		g.line("wait %s", g.held[len(g.held)-1])
	case k < 96 && g.stops && g.units == 0:
		word := []string{"stop", "return"}[g.IntN(2)]
		g.choice(func() { g.line("%s", word) }, func() {})
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
	g.line("%s %s", []string{"read", "write"}[g.IntN(2)], locations[g.IntN(len(locations))])
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
