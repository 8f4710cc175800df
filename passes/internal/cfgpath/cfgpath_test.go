package cfgpath_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/atomvet/atomvet/passes/internal/cfgpath"
)

// build returns the function f of a snippet.
func build(t testing.TB, src string) *ssa.Function {
	t.Helper()
	const preamble = "package p\nfunc cond() bool\nfunc mark(int)\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", preamble+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(new(types.Config), fset, types.NewPackage("p", "p"), []*ast.File{file}, ssa.BuilderMode(0))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return pkg.Func("f")
}

// marks returns the calls of mark in fn by their argument.
func marks(fn *ssa.Function) map[int64]ssa.Instruction {
	out := make(map[int64]ssa.Instruction)
	for instr := range instructions(fn) {
		if c, ok := instr.(*ssa.Call); ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Name() == "mark" {
			out[c.Call.Args[0].(*ssa.Const).Int64()] = c
		}
	}
	return out
}

func instructions(fn *ssa.Function) func(func(ssa.Instruction) bool) {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if !yield(instr) {
					return
				}
			}
		}
	}
}

func TestExamples(t *testing.T) {
	const loop = `func f() {
		mark(1)
		for cond() {
			mark(2)
			if cond() { mark(3); continue }
			mark(4)
		}
		mark(5)
	}`
	fn := build(t, loop)
	m := marks(fn)
	p := cfgpath.New(fn)
	set := func(list ...int64) *cfgpath.Set {
		return p.Set(func(yield func(ssa.Instruction) bool) {
			for _, i := range list {
				yield(m[i])
			}
		})
	}
	type way = cfgpath.Way
	for _, test := range []struct {
		name string
		way  way
		want bool
	}{
		{"behind the loop", way{From: m[1], To: m[5]}, true},
		{"backwards", way{From: m[5], To: m[1]}, false},
		{"round the loop", way{From: m[4], To: m[2]}, true},
		{"round the loop, forward", way{From: m[4], To: m[2], Forward: true}, false},
		{"within the round, forward", way{From: m[2], To: m[4], Forward: true}, true},
		{"to itself", way{From: m[3], To: m[3]}, true},
		{"to itself outside of loops", way{From: m[1], To: m[1]}, false},
		{"from one branch to the other", way{From: m[3], To: m[4]}, true},
		{"but not without the head", way{From: m[3], To: m[4], Avoid: m[2]}, false},
		{"the head again", way{From: m[2], To: m[2], Avoid: m[3]}, true},
		{"over one of two", way{From: m[1], To: m[5], Cross: set(3, 4)}, true},
		{"over the one without the other", way{From: m[1], To: m[5], Cross: set(3), Cut: set(4)}, true},
		{"over what begins anew", way{From: m[2], To: m[4], Cross: set(3)}, false},
		{"over the start", way{From: m[2], To: m[4], Cross: set(2)}, true},
		{"over nothing", way{From: m[2], To: m[4], Cross: set()}, false},
		{"without both branches", way{From: m[2], To: m[2], Cut: set(3, 4)}, false},
	} {
		if got := p.Exists(test.way); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}

// generate returns the source of a random function: branches, loops with break and
// continue, switches, returns, panics, deferred calls, jumps between the statements of
// its body, and long and short blocks.
func generate(r *rand.Rand) string {
	g := &generator{r: r}
	n := 3 + r.IntN(5)
	var body []string
	targets := make(map[int]bool)
	for range n {
		text := g.stmts(3)
		if r.IntN(3) == 0 {
			to := r.IntN(n)
			targets[to] = true
			text += fmt.Sprintf("if cond() { goto L%d }\n", to)
		}
		body = append(body, text)
	}
	var b strings.Builder
	b.WriteString("func f() {\n")
	for i, text := range body {
		if targets[i] {
			fmt.Fprintf(&b, "L%d:\n", i)
		}
		b.WriteString(text)
	}
	b.WriteString("}\n")
	return b.String()
}

type generator struct {
	r     *rand.Rand
	loops int
	n     int
}

func (g *generator) stmts(depth int) string {
	var b strings.Builder
	for range 1 + g.r.IntN(3) {
		b.WriteString(g.stmt(depth))
	}
	return b.String()
}

func (g *generator) stmt(depth int) string {
	kind := g.r.IntN(12)
	if depth == 0 {
		kind = 0
	}
	switch kind {
	case 1, 2:
		return fmt.Sprintf("if cond() {\n%s}\n", g.stmts(depth-1))
	case 3:
		return fmt.Sprintf("if cond() {\n%s} else {\n%s}\n", g.stmts(depth-1), g.stmts(depth-1))
	case 4, 5:
		g.loops++
		defer func() { g.loops-- }()
		head := []string{"for cond()", "for", "for cond() || cond()"}[g.r.IntN(3)]
		return fmt.Sprintf("%s {\n%s}\n", head, g.stmts(depth-1))
	case 6:
		var b strings.Builder
		b.WriteString("switch {\n")
		for range 1 + g.r.IntN(4) {
			fmt.Fprintf(&b, "case cond():\n%s", g.stmts(depth-1))
		}
		return b.String() + "}\n"
	case 7:
		if g.loops > 0 {
			return fmt.Sprintf("if cond() { %s }\n", []string{"break", "continue"}[g.r.IntN(2)])
		}
	case 8:
		return fmt.Sprintf("if cond() { %s }\n", []string{"return", "panic(1)"}[g.r.IntN(2)])
	case 9:
		return "defer mark(0)\n"
	case 10:
		if g.r.IntN(4) == 0 {
			return strings.Repeat(g.mark(), 30) // a long block
		}
	}
	return g.mark()
}

func (g *generator) mark() string {
	g.n++
	return fmt.Sprintf("mark(%d)\n", g.n)
}

// A spec is a Way with plain sets.
type spec struct {
	from, to, avoid ssa.Instruction
	cross, cut      []ssa.Instruction
	forward         bool
}

// naive searches instruction by instruction.
func naive(fn *ssa.Function, s spec) bool {
	type state struct {
		block, index int
		crossed      bool
	}
	crossed := s.cross == nil || slices.Contains(s.cross, s.from)
	b := s.from.Block()
	start := state{b.Index, slices.Index(b.Instrs, s.from) + 1, crossed}
	seen := map[state]bool{start: true}
	work := []state{start}
	push := func(st state) {
		if !seen[st] {
			seen[st] = true
			work = append(work, st)
		}
	}
	for len(work) > 0 {
		st := work[len(work)-1]
		work = work[:len(work)-1]
		b := fn.Blocks[st.block]
		if st.index == len(b.Instrs) {
			for _, succ := range b.Succs {
				if !(s.forward && dominates(fn, succ, s.from.Block())) {
					push(state{succ.Index, 0, st.crossed})
				}
			}
			continue
		}
		instr := b.Instrs[st.index]
		if instr == s.to && st.crossed {
			return true
		}
		if instr == s.from || instr == s.avoid || slices.Contains(s.cut, instr) {
			continue
		}
		push(state{st.block, st.index + 1, st.crossed || slices.Contains(s.cross, instr)})
	}
	return false
}

// dominates reports whether b cannot be reached from the entry without a.
func dominates(fn *ssa.Function, a, b *ssa.BasicBlock) bool {
	if a == b {
		return true
	}
	seen := map[*ssa.BasicBlock]bool{a: true}
	reached := false
	var visit func(x *ssa.BasicBlock)
	visit = func(x *ssa.BasicBlock) {
		if seen[x] {
			return
		}
		seen[x] = true
		reached = reached || x == b
		for _, s := range x.Succs {
			visit(s)
		}
	}
	visit(fn.Blocks[0])
	if fn.Recover != nil {
		visit(fn.Recover)
	}
	return !reached
}

// TestRandom compares all questions with the naive search.
func TestRandom(t *testing.T) { compare(t, 40, 250) }

// TestBounded does the same if next to nothing is kept.
func TestBounded(t *testing.T) {
	defer cfgpath.Keep(1000)()
	compare(t, 20, 250)
}

func compare(t *testing.T, functions, questions int) {
	t.Helper()
	answers := make(map[bool]int)
	for seed := range functions {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		src := generate(r)
		fn := build(t, src)
		all := slices.Collect(instructions(fn))
		p := cfgpath.New(fn)
		pick := func() ssa.Instruction { return all[r.IntN(len(all))] }
		var sets [4][]ssa.Instruction
		var compiled [4]*cfgpath.Set
		for i := range sets {
			for range r.IntN(6) {
				sets[i] = append(sets[i], pick())
			}
			compiled[i] = p.Set(slices.Values(sets[i]))
		}
		for range questions {
			s := spec{from: pick(), to: pick(), forward: r.IntN(3) == 0}
			w := cfgpath.Way{From: s.from, To: s.to, Forward: s.forward}
			if r.IntN(2) == 0 {
				s.avoid = pick()
				w.Avoid = s.avoid
			}
			if i := r.IntN(8); i < 4 {
				s.cross, w.Cross = append([]ssa.Instruction{}, sets[i]...), compiled[i]
			}
			if i := r.IntN(12); i < 4 {
				s.cut, w.Cut = sets[i], compiled[i]
			}
			got, want := p.Exists(w), naive(fn, s)
			answers[want]++
			if got != want {
				var b strings.Builder
				fn.WriteTo(&b)
				t.Fatalf("seed %d: %t, want %t for %+v\n%s\n%s", seed, got, want, s, src, b.String())
			}
			// The derived questions say the same.
			if a, b := p.MustPass(s.from, s.avoid, s.to), !naive(fn, spec{from: s.from, to: s.to, avoid: s.avoid}); a != b {
				t.Fatalf("seed %d: MustPass is %t, want %t for %+v\n%s", seed, a, b, s, src)
			}
			if a, b := p.Forward(s.from, s.to), naive(fn, spec{from: s.from, to: s.to, forward: true}); a != b {
				t.Fatalf("seed %d: Forward is %t, want %t for %+v\n%s", seed, a, b, s, src)
			}
			if instrs := s.from.Block().Instrs; len(instrs) > 1 {
				if br, ok := instrs[len(instrs)-1].(*ssa.If); ok {
					if got, want := p.OnlySide(br, s.to), naiveSide(fn, br, s.to); got != want {
						t.Fatalf("seed %d: OnlySide is %d, want %d for %v, %v\n%s", seed, got, want, br, s.to, src)
					}
				}
			}
			// To reach an instruction is to flow there, or to where one is again.
			want = naive(fn, spec{from: s.from, to: s.to})
			if got := p.Reaches(s.from, s.to); got != want {
				t.Fatalf("seed %d: Reaches is %t, want %t for %+v\n%s", seed, got, want, s, src)
			}
			if got := p.Flows(s.from, s.to); got != want {
				t.Fatalf("seed %d: Flows is %t, want %t for %+v\n%s", seed, got, want, s, src)
			}
		}
	}
	if answers[true] < functions*questions/10 || answers[false] < functions*questions/10 {
		t.Errorf("answers %v: the questions are too easy", answers)
	}
}

// naiveSide answers OnlySide by two searches.
func naiveSide(fn *ssa.Function, br *ssa.If, to ssa.Instruction) int {
	var reaches [2]bool
	for side, b := range br.Block().Succs {
		first := b.Instrs[0]
		reaches[side] = first == to || naive(fn, spec{from: first, to: to, avoid: br})
	}
	switch {
	case reaches[0] == reaches[1]:
		return -1
	case reaches[0]:
		return 0
	}
	return 1
}

func TestOtherFunction(t *testing.T) {
	a, b := build(t, "func f() { mark(1); mark(2) }"), build(t, "func f() { mark(1); mark(2) }")
	p := cfgpath.New(a)
	x, y := marks(a), marks(b)
	if !p.Flows(x[1], x[2]) || p.Flows(x[1], y[2]) || p.Flows(y[1], y[2]) || p.Reaches(y[1], y[2]) {
		t.Error("a path leads through another function")
	}
	if p.MustPass(x[1], y[1], x[2]) {
		t.Error("a path must pass another function")
	}
}

// cases returns a function with a switch of n cases.
func cases(n int) string {
	var b strings.Builder
	b.WriteString("func f() {\n\tmark(0)\n\tswitch {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tcase cond():\n\t\tmark(%d)\n", i+1)
	}
	b.WriteString("\t}\n}\n")
	return b.String()
}

// Each question of n² pairs of cases for the third instruction on the paths from one.
func BenchmarkMustPass(b *testing.B) {
	for _, n := range []int{250, 500, 1000, 2000} {
		fn := build(b, cases(n))
		m := marks(fn)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				p := cfgpath.New(fn)
				for i := range n {
					for j := range n {
						if i != j && p.MustPass(m[0], m[int64(i+1)], m[int64(j+1)]) {
							b.Fatal("one case lies behind the other")
						}
					}
				}
			}
		})
	}
}

// Each question of n² pairs of starts and ends.
func BenchmarkFlows(b *testing.B) {
	for _, n := range []int{250, 500, 1000, 2000} {
		fn := build(b, cases(n))
		m := marks(fn)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				p := cfgpath.New(fn)
				for i := range n {
					for j := range n {
						if p.Flows(m[int64(i+1)], m[int64(j+1)]) {
							b.Fatal("one case leads to the other")
						}
					}
				}
			}
		})
	}
}
