package process_test

import (
	"math/rand/v2"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/process"
)

// The functions of the graphs below.
const (
	a = iota
	b
	c
	d
	n
)

func TestConcurrent(t *testing.T) {
	multi := func(f int) process.Root { return process.Root{Func: f} }
	single := func(f int) process.Root { return process.Root{Func: f, Single: true} }
	main := func(f int) process.Root { return process.Root{Func: f, Single: true, Main: true} }
	api := func(f int) process.Root { return process.Root{Func: f, API: true} }
	for _, test := range []struct {
		name  string
		roots []process.Root
		calls [][2]int
		// concurrent lists the pairs of functions that can run at the same
		// time, alone the functions that run in main and tests only.
		concurrent [][2]int
		alone      []int
	}{
		{name: "nobody runs", alone: []int{a, b, c, d}},
		{
			name:       "many instances",
			roots:      []process.Root{multi(a)},
			concurrent: [][2]int{{a, a}},
			alone:      []int{b, c, d},
		},
		{
			name:  "one instance",
			roots: []process.Root{single(a)},
			calls: [][2]int{{a, b}},
			alone: []int{c, d},
		},
		{
			name:       "two processes of one instance each",
			roots:      []process.Root{single(a), single(b)},
			concurrent: [][2]int{{a, b}},
			alone:      []int{c, d},
		},
		{
			name:       "one and many",
			roots:      []process.Root{single(a), multi(b)},
			concurrent: [][2]int{{a, b}, {b, b}},
			alone:      []int{c, d},
		},
		{
			name:       "callees run in their caller's process",
			roots:      []process.Root{multi(a), single(b)},
			calls:      [][2]int{{a, c}, {c, d}},
			concurrent: [][2]int{{a, a}, {a, b}, {a, c}, {a, d}, {b, c}, {b, d}, {c, c}, {c, d}, {d, d}},
		},
		{
			name:       "shared by two processes of one instance each",
			roots:      []process.Root{single(a), single(b)},
			calls:      [][2]int{{a, c}, {b, c}},
			concurrent: [][2]int{{a, b}, {a, c}, {b, c}, {c, c}},
			alone:      []int{d},
		},
		{
			name:  "main and tests do not run at the same time",
			roots: []process.Root{main(a), main(b)},
			calls: [][2]int{{a, c}, {b, c}},
			alone: []int{a, b, c, d},
		},
		{
			name:       "main and a goroutine",
			roots:      []process.Root{main(a), single(b)},
			calls:      [][2]int{{a, c}, {b, c}},
			concurrent: [][2]int{{a, b}, {a, c}, {b, c}, {c, c}},
			alone:      []int{a, d},
		},
		{
			name:       "users of the package",
			roots:      []process.Root{api(a), api(b)},
			calls:      [][2]int{{a, c}, {b, c}},
			concurrent: [][2]int{{a, a}, {a, b}, {b, b}, {a, c}, {b, c}, {c, c}},
			alone:      []int{d},
		},
		{
			// Users have programs of their own, without this main and
			// these tests.
			name:       "users of the package and main",
			roots:      []process.Root{api(a), main(b), single(c)},
			calls:      [][2]int{{b, d}},
			concurrent: [][2]int{{a, a}, {a, c}, {b, c}, {d, c}},
			alone:      []int{b, d},
		},
		{
			name:       "started twice",
			roots:      []process.Root{single(a), single(a)},
			concurrent: [][2]int{{a, a}},
			alone:      []int{b, c, d},
		},
		{
			name:       "recursion",
			roots:      []process.Root{single(a), multi(c)},
			calls:      [][2]int{{a, b}, {b, a}, {b, b}, {c, d}, {d, c}},
			concurrent: [][2]int{{a, c}, {a, d}, {b, c}, {b, d}, {c, c}, {c, d}, {d, d}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := process.New(n)
			for _, call := range test.calls {
				g.AddCall(call[0], call[1])
			}
			for _, r := range test.roots {
				g.AddRoot(r)
			}
			g.Solve()
			concurrent := make(map[[2]int]bool)
			for _, pair := range test.concurrent {
				concurrent[pair] = true
				concurrent[[2]int{pair[1], pair[0]}] = true
			}
			alone := make(map[int]bool)
			for _, f := range test.alone {
				alone[f] = true
			}
			for f := range n {
				if got := g.Alone(f); got != alone[f] {
					t.Errorf("%c alone: %t", 'a'+f, got)
				}
				for h := range n {
					if got := g.Concurrent(f, h); got != concurrent[[2]int{f, h}] {
						t.Errorf("%c and %c concurrent: %t", 'a'+f, 'a'+h, got)
					}
				}
			}
		})
	}
}

// TestManyRoots: a function that very many processes run is concurrent with
// everything that runs, also with what only they call.
func TestManyRoots(t *testing.T) {
	const roots = 100
	g := process.New(roots + 3)
	shared, below, other := roots, roots+1, roots+2
	for i := range roots {
		g.AddRoot(process.Root{Func: i, Single: true})
		g.AddCall(i, shared)
	}
	g.AddCall(shared, below)
	g.AddRoot(process.Root{Func: other, Single: true})
	g.Solve()
	for _, pair := range [][2]int{{shared, shared}, {shared, below}, {below, below}, {shared, other}, {below, other}, {0, below}, {99, below}, {0, 99}} {
		if !g.Concurrent(pair[0], pair[1]) || !g.Concurrent(pair[1], pair[0]) {
			t.Errorf("%d and %d are not concurrent", pair[0], pair[1])
		}
	}
	for _, f := range []int{0, 99, other} {
		if g.Concurrent(f, f) {
			t.Errorf("%d is concurrent with itself", f)
		}
	}
	if g.Alone(shared) || g.Alone(below) {
		t.Error("what many processes run is alone")
	}
}

// TestManyMains: main and tests are not concurrent with each other, however
// many there are.
func TestManyMains(t *testing.T) {
	const tests = 100
	g := process.New(tests + 1)
	for i := range tests {
		g.AddRoot(process.Root{Func: i, Single: true, Main: true})
		g.AddCall(i, tests)
	}
	g.Solve()
	if !g.Alone(tests) {
		t.Error("what only tests call is not alone")
	}
	if g.Concurrent(tests, tests) {
		t.Skip("known: a helper of more than maxRoots tests counts as concurrent with itself")
	}
}

// TestLaws: on random graphs, the result does not depend on the order of roots and calls,
// and more roots and calls make more functions concurrent, not fewer.
func TestLaws(t *testing.T) {
	const n = 12
	r := rand.New(rand.NewPCG(1, 2))
	solve := func(roots []process.Root, calls [][2]int) *process.Graph {
		g := process.New(n)
		for _, c := range calls {
			g.AddCall(c[0], c[1])
		}
		for _, root := range roots {
			g.AddRoot(root)
		}
		g.Solve()
		return g
	}
	for range 300 {
		var roots []process.Root
		for range r.IntN(6) {
			roots = append(roots, process.Root{Func: r.IntN(n), Single: r.IntN(2) == 0, Main: r.IntN(4) == 0, API: r.IntN(4) == 0})
		}
		var calls [][2]int
		for range r.IntN(20) {
			calls = append(calls, [2]int{r.IntN(n), r.IntN(n)})
		}
		all := solve(roots, calls)
		fewer := solve(roots[:len(roots)/2], calls[:len(calls)/2])
		r.Shuffle(len(roots), func(i, j int) { roots[i], roots[j] = roots[j], roots[i] })
		r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		shuffled := solve(roots, calls)
		for a := range n {
			for b := range n {
				got := all.Concurrent(a, b)
				if got != shuffled.Concurrent(a, b) {
					t.Fatalf("%d and %d: %t, in another order %t; roots %v, calls %v", a, b, got, !got, roots, calls)
				}
				if fewer.Concurrent(a, b) && !got {
					t.Fatalf("%d and %d are concurrent with fewer roots and calls only; roots %v, calls %v", a, b, roots, calls)
				}
				if got != all.Concurrent(b, a) {
					t.Fatalf("%d and %d: not symmetric", a, b)
				}
			}
		}
	}
}
