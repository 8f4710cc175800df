// Package process finds which code can run at the same time.
//
// A process starts at a root: the target of a go statement, main, a test, a function
// whose value escapes, and every exported function or method of a package that others
// import, because its users may call it from anywhere. Two functions can run concurrently
// if different roots reach them, or one root of which several instances may run at once.
// Most roots have several instances; a goroutine that a constructor starts for its object
// has one per object.
//
// The roots come from the call sites (entry.go): go statements and calls equivalent to
// one, functions used as values, exported functions, main, tests. From the same sites
// come the locks that all callers of a function hold, by a greatest fixpoint, and the
// functions that run only on objects before their publication.
//
// The graph is a may-analysis on calls alone. Happens-before order between processes
// (code before the first go statement, after a join) is left to the users of the graph,
// which see the statements.
package process

import "github.com/atomvet/atomvet/passes/internal/limit"

// A Root is a function at which a process starts.
type Root struct {
	// Func is the number of the function.
	Func int
	// Single says that at most one instance per object runs at a time.
	Single bool
	// Main says that the function is main, a test or an initializer: these do not run
	// concurrently with each other.
	Main bool
	// API says that users of the package may call the function: in a program of their own,
	// without the main function and the tests of this package.
	API bool
}

// A Graph is a call graph with the roots of the processes.
type Graph struct {
	callees [][]int
	roots   []Root
	// reach[f] are the indexes of the roots that reach function f.
	reach [][]int
}

// New returns a graph of n functions, without calls and roots.
func New(n int) *Graph {
	return &Graph{callees: make([][]int, n), reach: make([][]int, n)}
}

// AddCall adds a call: caller calls callee in its own process.
func (g *Graph) AddCall(caller, callee int) {
	g.callees[caller] = append(g.callees[caller], callee)
}

// AddRoot adds a root. Roots must be added before Solve.
func (g *Graph) AddRoot(r Root) { g.roots = append(g.roots, r) }

// Solve computes which roots reach which functions.
func (g *Graph) Solve() {
	for i, r := range g.roots {
		work := []int{r.Func}
		for len(work) > 0 {
			f := work[len(work)-1]
			work = work[:len(work)-1]
			n := len(g.reach[f])
			if n > 0 && g.reach[f][n-1] == i || n > limit.Roots {
				continue
			}
			g.reach[f] = append(g.reach[f], i)
			work = append(work, g.callees[f]...)
		}
	}
}

// Concurrent reports whether functions a and b may run at the same time on the same
// object.
func (g *Graph) Concurrent(a, b int) bool {
	if len(g.reach[a]) > limit.Roots || len(g.reach[b]) > limit.Roots {
		return true
	}
	for _, i := range g.reach[a] {
		for _, j := range g.reach[b] {
			if i == j && g.roots[i].Single || separate(g.roots[i], g.roots[j]) {
				continue
			}
			return true
		}
	}
	return false
}

// IsRoot reports whether a process starts at f.
func (g *Graph) IsRoot(f int) bool {
	for _, r := range g.roots {
		if r.Func == f {
			return true
		}
	}
	return false
}

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
