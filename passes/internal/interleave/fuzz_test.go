package interleave

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzAsk generates pairs of small functions and compares the answers with those of an enumerator,
// which executes them on all small concrete states: a harmful answer has to be reproduced by it,
// and a serializable one must not be refuted.
func FuzzAsk(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { decide(t, seed) })
}

// TestGenerated does the same for a fixed number of pairs, and demands that there are answers of
// both kinds.
func TestGenerated(t *testing.T) {
	var verdicts [3]int
	n := uint64(200)
	if testing.Short() {
		n = 100
	}
	for seed := range n {
		verdicts[decide(t, seed)]++
	}
	t.Logf("%d unknown, %d serializable, %d harmful", verdicts[Unknown], verdicts[Serializable], verdicts[Harmful])
	for v, count := range verdicts {
		if Verdict(v) != Unknown && count < int(n)/10 {
			t.Errorf("only %d of %d pairs are %v", count, n, Verdict(v))
		}
	}
	if verdicts[Unknown] > int(n)/4 {
		t.Errorf("%d of %d pairs are unknown", verdicts[Unknown], n)
	}
}

func decide(t *testing.T, seed uint64) Verdict {
	g := &generator{r: rand.New(rand.NewPCG(seed, 1))}
	first, second := g.first(), g.second()
	src := "package p\n\nimport \"sync\"\n\ntype S struct { mu sync.Mutex; x, y int; f bool; m map[string]int }\n\n" +
		"func New(x, y int, f bool) *S { return &S{x: x, y: y, f: f, m: map[string]int{}} }\n\n" + first.source("F") + second.source("G")
	p := build(t, src)
	fn := p.fn(t, "S.F")
	check, act := p.marked(t, src, fn)
	a := p.engine.Ask(Question{First: Unit{Fn: fn}, Second: Unit{Fn: p.fn(t, "S.G")}, Check: check, Act: act})
	if a.Verdict == Unknown {
		t.Logf("seed %d: %v", seed, a)
		return Unknown
	}
	bad := enumerate(first, second)
	if (bad != "") != (a.Verdict == Harmful) {
		var run strings.Builder
		for _, s := range a.Run {
			fmt.Fprintln(&run, s)
		}
		t.Errorf("seed %d: %v, but the enumerator says %q\n%s\n%s", seed, a, bad, src, run.String())
	}
	return a.Verdict
}

// A state is what the functions share, and their parameters.
type state struct {
	x, y int
	f    bool
	has  [2]bool // by key
	m    [2]int
}

// A machine executes a unit.
type machine struct {
	s           *state
	key         int
	d           int
	local       int
	open, acted bool
}

// A code is a statement or an expression with its source.
type code struct {
	source string
	run    func(*machine) int
}

// A section is a critical section, executed if its condition holds.
type section struct {
	cond  *code
	stmts []code
}

type unit struct{ sections []section }

func (u unit) source(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func (s *S) %s(k string, d int) int {\n\tr := 0\n", name)
	for _, c := range u.sections {
		if c.cond != nil {
			fmt.Fprintf(&b, "\tif %s {\n", c.cond.source)
		}
		b.WriteString("\ts.mu.Lock()\n")
		for _, st := range c.stmts {
			b.WriteString("\t" + st.source + "\n")
		}
		b.WriteString("\ts.mu.Unlock()\n")
		if c.cond != nil {
			b.WriteString("\t}\n")
		}
	}
	b.WriteString("\treturn r\n}\n\n")
	return b.String()
}

// run executes a unit, with a call of between after each section.
func (u unit) run(m *machine, between func()) {
	for _, c := range u.sections {
		if c.cond != nil && c.cond.run(m) == 0 {
			continue
		}
		for _, st := range c.stmts {
			st.run(m)
		}
		between()
	}
}

type generator struct{ r *rand.Rand }

func (g *generator) oneOf(list ...code) code { return list[g.r.IntN(len(list))] }

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// read is an expression on the shared state alone.
func (g *generator) read() code {
	return g.oneOf(
		code{"s.x", func(m *machine) int { return m.s.x }},
		code{"s.y", func(m *machine) int { return m.s.y }},
		code{"s.m[k]", func(m *machine) int { return m.s.m[m.key] }},
	)
}

// value is an expression.
func (g *generator) value() code {
	n := g.r.IntN(3)
	return g.oneOf(
		code{fmt.Sprint(n), func(*machine) int { return n }},
		code{"d", func(m *machine) int { return m.d }},
		code{"r", func(m *machine) int { return m.local }},
		code{fmt.Sprintf("r + %d", n), func(m *machine) int { return m.local + n }},
		g.read(),
	)
}

// cond is a condition, on locals only or on the shared state as well.
func (g *generator) cond(shared bool) code {
	n := g.r.IntN(3)
	list := []code{
		{fmt.Sprintf("r < %d", n), func(m *machine) int { return truth(m.local < n) }},
		{fmt.Sprintf("r == %d", n), func(m *machine) int { return truth(m.local == n) }},
		{"r != d", func(m *machine) int { return truth(m.local != m.d) }},
	}
	if shared {
		e := g.read()
		list = append(list,
			code{"s.f", func(m *machine) int { return truth(m.s.f) }},
			code{"!s.f", func(m *machine) int { return truth(!m.s.f) }},
			code{e.source + " <= r", func(m *machine) int { return truth(e.run(m) <= m.local) }},
			code{e.source + " == r", func(m *machine) int { return truth(e.run(m) == m.local) }},
		)
	}
	return g.oneOf(list...)
}

// write is a statement that changes the shared state.
func (g *generator) write() code {
	e, flag := g.value(), g.r.IntN(2) == 0
	return g.oneOf(
		code{"s.x = " + e.source, func(m *machine) int { m.s.x = e.run(m); return 0 }},
		code{"s.y = " + e.source, func(m *machine) int { m.s.y = e.run(m); return 0 }},
		code{"s.x += " + e.source, func(m *machine) int { m.s.x += e.run(m); return 0 }},
		code{"s.m[k] = " + e.source, func(m *machine) int { m.s.m[m.key], m.s.has[m.key] = e.run(m), true; return 0 }},
		code{"delete(s.m, k)", func(m *machine) int { m.s.m[m.key], m.s.has[m.key] = 0, false; return 0 }},
		code{fmt.Sprint("s.f = ", flag), func(m *machine) int { m.s.f = flag; return 0 }},
	)
}

func (g *generator) statement() code {
	st := g.write()
	switch g.r.IntN(3) {
	case 0:
		c := g.cond(true)
		return code{"if " + c.source + " { " + st.source + " }", func(m *machine) int {
			if c.run(m) != 0 {
				st.run(m)
			}
			return 0
		}}
	case 1:
		e := g.read()
		return code{"r = " + e.source, func(m *machine) int { m.local = e.run(m); return 0 }}
	}
	return st
}

func (g *generator) statements(max int) []code {
	var out []code
	for range g.r.IntN(max + 1) {
		out = append(out, g.statement())
	}
	return out
}

// first generates a unit with a check and an act in different sections.
func (g *generator) first() unit {
	var u unit
	e := g.read()
	check := code{"r = " + e.source + " // check", func(m *machine) int { m.open = true; m.local = e.run(m); return 0 }}
	if g.r.IntN(4) == 0 {
		u.sections = append(u.sections, section{stmts: append(g.statements(1), g.write())})
	}
	u.sections = append(u.sections, section{stmts: append(g.statements(1), check)})
	w := g.write()
	act := code{w.source + " // act", func(m *machine) int {
		if m.open {
			m.open, m.acted = false, true
		}
		return w.run(m)
	}}
	last := section{stmts: append(g.statements(1), act)}
	if g.r.IntN(2) == 0 {
		c := g.cond(false)
		last.cond = &c
	}
	u.sections = append(u.sections, last)
	if g.r.IntN(5) == 0 {
		u.sections = append(u.sections, section{stmts: append(g.statements(1), g.write())})
	}
	return u
}

func (g *generator) second() unit {
	u := unit{[]section{{stmts: append(g.statements(2), g.write())}}}
	if g.r.IntN(3) == 0 {
		c := g.cond(false)
		u.sections = append(u.sections, section{cond: &c, stmts: append(g.statements(1), g.write())})
	}
	return u
}

// An ending is the outcome of a run.
type ending struct {
	state
	one, two int
}

// A play is an execution of both units.
type play struct {
	u, v       unit
	start      state
	keys, d    [2]int
	acted, ran bool
	outside    int
}

// run executes the units, T2 at the boundary with number at: in the window if inside is set, else
// outside. 0 is before T1, and -1 after it.
func (p *play) run(inside bool, at int) ending {
	s := p.start
	one, two := &machine{s: &s, key: p.keys[0], d: p.d[0]}, &machine{s: &s, key: p.keys[1], d: p.d[1]}
	p.ran, p.outside = false, 0
	second := func() {
		p.ran = true
		p.v.run(two, func() {})
	}
	if !inside && at == 0 {
		second()
	}
	in := 0
	p.u.run(one, func() {
		if one.open {
			in++
			if inside && in == at {
				second()
			}
			return
		}
		p.outside++
		if !inside && p.outside == at {
			second()
		}
	})
	if !inside && at == -1 {
		second()
	}
	p.acted = one.acted
	return ending{s, one.local, two.local}
}

// enumerate returns a harmful run on a small state, or "".
func enumerate(u, v unit) string {
	p := &play{u: u, v: v}
	values := []int{-3, -2, -1, 0, 1, 2, 3}
	elems := []int{-9, -1, 0, 1, 2} // -9 is none
	for _, x := range values {
		for _, y := range values {
			for i := range 2 * len(elems) * len(elems) * 2 * 3 * 3 {
				p.start = state{x: x, y: y, f: i%2 == 1}
				i /= 2
				for k := range 2 {
					if e := elems[i%len(elems)]; e != -9 {
						p.start.has[k], p.start.m[k] = true, e
					}
					i /= len(elems)
				}
				p.keys, p.d = [2]int{0, i % 2}, [2]int{i / 2 % 3, i / 6}
				if bad := p.refute(); bad != "" {
					return bad
				}
			}
		}
	}
	return ""
}

// refute returns a harmful run from the present state, or "".
func (p *play) refute() string {
	for at := 1; ; at++ {
		mix := p.run(true, at)
		outside := p.outside
		if !p.ran {
			return ""
		}
		if !p.acted {
			continue
		}
		same := false
		for out := -1; out <= outside+2 && !same; out++ {
			same = p.run(false, out) == mix && p.ran
		}
		if !same {
			return fmt.Sprintf("%+v keys %v d %v gives %+v", p.start, p.keys, p.d, mix)
		}
	}
}
