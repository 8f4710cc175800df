// Package process finds which code can run at the same time.
//
// A process starts at a root: the target of a go statement, main, a test, a
// function that is given away as a value, and every exported function or method
// of a package that others import, because its users may call it from anywhere.
// Two pieces of code can run concurrently if different roots reach them, or one
// root of which several instances may run at once. Most roots may; a goroutine
// that a constructor starts once for its object may not.
//
// The roots come from the call sites (entry.go): go statements and what stands for one,
// functions that are given away as values, exported functions, main, tests. With them come
// the locks that all callers of a function hold, by a greatest fixpoint over the sites, and
// the functions that only run on objects which no other goroutine has yet.
//
// The graph is a may-analysis on calls alone. Order between processes (code
// before the first go statement, after a join) is left to the users of the
// graph, who see the statements.
package process

// A Root is a function at which a process starts.
type Root struct {
	Func int
	// Single says that at most one instance runs at a time for an object.
	Single bool
	// Main says that it is main, a test or an initializer: they do not run
	// at the same time as each other.
	Main bool
	// API says that users of the package may call it: in a program of their
	// own, not in the one that has this main or these tests.
	API bool
}

// A Graph is a call graph with roots.
type Graph struct {
	callees [][]int
	roots   []Root
	// reach[f] are the indexes of the roots that reach function f.
	reach [][]int
}

// maxRoots bounds the roots remembered for a function. One that more roots
// reach may run concurrently with anything.
const maxRoots = 16

// New returns a graph of n functions.
func New(n int) *Graph {
	return &Graph{callees: make([][]int, n), reach: make([][]int, n)}
}

// AddCall says that caller calls callee in its own process.
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
			if n > 0 && g.reach[f][n-1] == i || n > maxRoots {
				continue
			}
			g.reach[f] = append(g.reach[f], i)
			work = append(work, g.callees[f]...)
		}
	}
}

// Concurrent reports whether functions a and b may run at the same time, on
// the same object.
func (g *Graph) Concurrent(a, b int) bool {
	if len(g.reach[a]) > maxRoots || len(g.reach[b]) > maxRoots {
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

// Alone reports whether f is only run by main, tests and initializers, or not
// at all, so that it is concurrent only with what those start.
func (g *Graph) Alone(f int) bool {
	for _, i := range g.reach[f] {
		if !g.roots[i].Main {
			return false
		}
	}
	return true
}
