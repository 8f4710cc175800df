// Package process finds which code can run at the same time.
//
// A process starts at a root: the target of a go statement, main, a test, a function
// whose value escapes, be it in a function of another package that keeps it, and every exported function or method of a
// package that others import, because its users may call it from anywhere. Two functions can run concurrently
// if different roots reach them, or one root of which several instances may run at once.
// Most roots have several instances; a goroutine that a constructor starts for its object
// has one per object.
//
// The files, in the order of the computation: site (call sites), entry (the locks that all
// callers hold, by a greatest fixpoint, and the functions that run only on objects before
// their publication), context (the locks that some callers hold), multiplicity (what runs once
// per object or per program), once (methods that could not run twice), service (goroutines that by
// convention run once per object), taker (those that take turns), order, earlier and end (what
// happens before the start of a goroutine, in the program or for an object, or after its end),
// local (objects that one run of a function has to itself), confine and contract (what one
// goroutine at a time runs, by evidence and by the comments), annotation (the locks
// that comments name), build (the stages in order, and the roots), instance (on which objects a
// root that is single does not run beside itself). This file has the graph of the calls inside a
// process, and the roots.
//
// A call on an object that has not been published is no edge of the graph, as long as no
// goroutine is started by it. The graph does not distinguish the paths by which a root reaches a
// function.
package process

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// owned is a set of parameters and free variables of a function, sorted.
type owned []accesspath.Path

// A Root is a function at which a process starts.
type Root struct {
	// Func is the number of the function.
	Func int
	// Single says that at most one instance per object runs at a time.
	Single bool
	// own are the parameters and free variables of the function that name the object, nil if
	// there is one instance in all.
	own owned
	// made says that the starter allocates the object of an instance.
	made bool
	// Main says that the function is main, a test or an initializer: these do not run
	// concurrently with each other.
	Main bool
	// API says that users of the package may call the function: in a program of their own,
	// without the main function and the tests of this package.
	API bool
	// Test says that the root is in a test.
	Test bool
	// group is the location of the sync.WaitGroup that the goroutine belongs to, or "".
	group accesspath.Location
	// ends are the groups and channels that signal the end of the goroutine: see endsOf.
	ends []accesspath.Location
	// later are the functions that may run after the go statement in the goroutine of the
	// statement, starter the function with the statement. It is nil if nothing is known.
	later   map[int]bool
	starter int
	// start is the go statement, if it starts one goroutine per object.
	start ssa.CallInstruction
	// at is the position of the go statement.
	at token.Pos
	// Go says that the root is the function of a goroutine that the package starts.
	Go bool
	// Started says that others run beside it, whatever the callers of the package do: see findStarted.
	Started bool
	// Uncalled says that nothing in the package calls the function, and users of the package
	// cannot name it: an interface may lead to it. A root that is nothing of all this is a
	// function whose value escapes: unknown code may call it.
	Uncalled bool
}

// String describes the root, without the name of its function.
func (r Root) String() string {
	kind := "callback"
	switch {
	case r.Go:
		kind = "goroutine"
	case r.Main:
		kind = "main"
	case r.API:
		kind = "exported"
	}
	if r.Single {
		return kind + " once"
	}
	return kind
}

// A Graph is a call graph with the roots of the processes.
type Graph struct {
	callees [][]int
	roots   []Root
	starts  []bool // starts[f] says that f is the function of a root
	// reach[f] are the indexes of the roots that reach function f.
	reach [][]int
	// callbacks[f] says that a root whose value escapes reaches f.
	callbacks []bool
}

// New returns a graph of n functions, without calls and roots.
func New(n int) *Graph {
	return &Graph{callees: make([][]int, n), reach: make([][]int, n), starts: make([]bool, n), callbacks: make([]bool, n)}
}

// AddCall adds a call: caller calls callee in its own process.
func (g *Graph) AddCall(caller, callee int) {
	g.callees[caller] = append(g.callees[caller], callee)
}

// AddRoot adds a root. Roots must be added before Solve.
func (g *Graph) AddRoot(r Root) {
	g.roots = append(g.roots, r)
	g.starts[r.Func] = true
}

// Solve computes which roots reach which functions. Those in tests count for functions that
// no others reach: a test may call what it likes while the object is its own.
func (g *Graph) Solve() {
	for i, r := range g.roots {
		if !r.Test {
			g.spread(i, make([]bool, len(g.reach)))
		}
	}
	reached := make([]bool, len(g.reach))
	for f := range g.reach {
		reached[f] = len(g.reach[f]) > 0
	}
	for i, r := range g.roots {
		if r.Test {
			g.spread(i, reached)
		}
	}
	for _, r := range g.roots {
		if !r.Go && !r.API && !r.Main && !r.Test {
			g.markCallbacks(r.Func)
		}
	}
}

// spread adds root i to the functions that it reaches, except through certain others.
func (g *Graph) spread(i int, except []bool) {
	work := []int{g.roots[i].Func}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		n := len(g.reach[f])
		if except[f] || n > 0 && g.reach[f][n-1] == i || n > limit.Roots {
			continue
		}
		g.reach[f] = append(g.reach[f], i)
		work = append(work, g.callees[f]...)
	}
}

func (g *Graph) markCallbacks(f int) {
	work := []int{f}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if !g.callbacks[f] {
			g.callbacks[f] = true
			work = append(work, g.callees[f]...)
		}
	}
}

// Concurrent reports whether functions a and b may run at the same time, on the same object if
// a root is single.
func (g *Graph) Concurrent(a, b int) bool {
	if len(g.reach[a]) > limit.Roots || len(g.reach[b]) > limit.Roots {
		return true
	}
	for _, i := range g.reach[a] {
		for _, j := range g.reach[b] {
			if g.together(i, a, j, b) && !(i == j && g.roots[i].Single) {
				return true
			}
		}
	}
	return false
}

// together reports whether what root i runs of a may run beside what root j runs of b.
func (g *Graph) together(i, a, j, b int) bool {
	return !separate(g.roots[i], g.roots[j]) && !g.precedes(i, a, j) && !g.precedes(j, b, i)
}

// precedes reports whether all that root i runs of function f happens before the go
// statement of root j.
func (g *Graph) precedes(i, f, j int) bool {
	return g.roots[i].Main && g.roots[j].later != nil && !g.roots[j].later[f] && slices.Contains(g.reach[g.roots[j].starter], i)
}

// Reaching returns the roots that reach f, and false if there are too many to list.
func (g *Graph) Reaching(f int) ([]Root, bool) {
	var out []Root
	for _, i := range g.reach[f] {
		out = append(out, g.roots[i])
	}
	return out, len(out) <= limit.Roots
}

// calledBack reports whether unknown code may call f through a value.
func (g *Graph) calledBack(f int) bool { return g.callbacks[f] }

// IsRoot reports whether a process starts at f.
func (g *Graph) IsRoot(f int) bool { return f >= 0 && g.starts[f] }

// separate reports whether two roots run one after the other, or in different
// programs.
func separate(a, b Root) bool {
	return a.Main && (b.Main || b.API) || b.Main && a.API
}

// Alone reports whether only main, tests and initializers reach f, or no root at all.
// Such a function is concurrent only with the goroutines that these start.
func (g *Graph) Alone(f int) bool {
	for _, i := range g.reach[f] {
		if !g.roots[i].Main {
			return false
		}
	}
	return true
}
