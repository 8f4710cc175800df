// Package depgraph computes what a value or an instruction of a function depends on.
//
// A value read from shared memory influences a later write in one of two ways (Dias,
// Pessanha, Lourenço: Precise detection of atomicity violations, section 4, causal
// dependencies): by data dependence, when the written value is computed from it, and by
// control dependence, when a branch on it decides whether the write happens. Both are
// may-dependencies, taken over all paths. Data is followed through local variables,
// fields of local structs, elements of local containers and captured variables without
// regard to the order of stores. It is not followed through shared memory: a load from
// shared memory yields a current value.
package depgraph

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Control is the control-dependence relation of a function (Ferrante,
// Ottenstein, Warren: The program dependence graph, section 3.1).
type Control struct {
	fn *ssa.Function
	// deps lists for each block the branches that it is directly control-dependent on.
	deps [][]*ssa.If
	// all is the transitive closure of deps, computed on demand.
	all map[*ssa.BasicBlock][]*ssa.If
}

// Branches yields the branches of fn.
func Branches(fn *ssa.Function) iter.Seq[*ssa.If] {
	return func(yield func(*ssa.If) bool) {
		for _, b := range fn.Blocks {
			if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && !yield(br) {
				return
			}
		}
	}
}

// NewControl computes the control dependences of fn.
func NewControl(fn *ssa.Function) *Control {
	c := &Control{fn: fn, deps: make([][]*ssa.If, len(fn.Blocks)), all: make(map[*ssa.BasicBlock][]*ssa.If)}
	ipdom := postDominators(fn)
	for br := range Branches(fn) {
		a := br.Block()
		for _, s := range a.Succs {
			// Every block from s up to, but without, the immediate
			// post-dominator of a runs only if a branches to s.
			for b := s.Index; b != ipdom[a.Index] && b >= 0 && b < len(fn.Blocks); b = ipdom[b] {
				if n := len(c.deps[b]); n == 0 || c.deps[b][n-1] != br {
					c.deps[b] = append(c.deps[b], br)
				}
			}
		}
	}
	return c
}

// Deciding returns the branches that b is control-dependent on, directly or transitively.
func (c *Control) Deciding(b *ssa.BasicBlock) []*ssa.If {
	if list, ok := c.all[b]; ok {
		return list
	}
	seen := make([]bool, len(c.fn.Blocks))
	var list []*ssa.If
	work := []int{b.Index}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, br := range c.deps[i] {
			if j := br.Block().Index; !seen[j] {
				seen[j] = true
				list = append(list, br)
				work = append(work, j)
			}
		}
	}
	c.all[b] = list
	return list
}

// Direct returns the branches that b is directly control-dependent on.
func (c *Control) Direct(b *ssa.BasicBlock) []*ssa.If { return c.deps[b.Index] }

// IsAssertion reports whether one side of a branch fails on every path.
func IsAssertion(br *ssa.If) bool {
	failing := Failing(br.Parent())
	return slices.ContainsFunc(br.Block().Succs, func(s *ssa.BasicBlock) bool { return failing[s.Index] })
}

// Failing returns, by index, the blocks from which every path ends in a panic.
func Failing(fn *ssa.Function) []bool {
	out := make([]bool, len(fn.Blocks))
	for changed := true; changed; {
		changed = false
		for i := len(fn.Blocks) - 1; i >= 0; i-- {
			b := fn.Blocks[i]
			if out[i] || len(b.Instrs) == 0 {
				continue
			}
			fails := len(b.Succs) > 0
			if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Panic); ok {
				fails = true
			}
			for _, s := range b.Succs {
				fails = fails && out[s.Index]
			}
			if fails {
				out[i], changed = true, true
			}
		}
	}
	return out
}

// postDominators returns the immediate post-dominator of each block, by the
// algorithm of Cooper, Harvey and Kennedy on the reversed graph. The virtual
// exit has the number of blocks; blocks that cannot reach it have -1.
func postDominators(fn *ssa.Function) []int {
	n := len(fn.Blocks)
	order := make([]int, 0, n) // postorder of the reversed graph
	num := make([]int, n+1)
	visited := make([]bool, n)
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		visited[b.Index] = true
		for _, p := range b.Preds {
			if !visited[p.Index] {
				visit(p)
			}
		}
		num[b.Index] = len(order)
		order = append(order, b.Index)
	}
	// A path that ends in a panic, or in a call that does not return, is no exit of the
	// function: a branch to such a path is an assertion, and the code behind the assertion
	// is not control-dependent on it.
	failing := Failing(fn)
	for _, b := range fn.Blocks {
		if len(b.Succs) == 0 && !visited[b.Index] && !failing[b.Index] {
			visit(b)
		}
	}
	// An endless loop has no exit: the blocks with a back edge serve as exits, or the last
	// block if the loop has no head.
	endless := make([]bool, n)
	for _, b := range fn.Blocks {
		if visited[b.Index] || b == fn.Recover || failing[b.Index] {
			continue
		}
		for _, s := range b.Succs {
			endless[b.Index] = endless[b.Index] || s.Dominates(b)
		}
	}
	for i := n - 1; i >= 0; i-- {
		if endless[i] && !visited[i] {
			visit(fn.Blocks[i])
		}
	}
	for i := n - 1; i >= 0; i-- {
		if !visited[i] && fn.Blocks[i] != fn.Recover && !failing[i] {
			endless[i] = true
			visit(fn.Blocks[i])
		}
	}
	ipdom := make([]int, n+1)
	for i := range ipdom {
		ipdom[i] = -1
	}
	ipdom[n] = n
	num[n] = len(order)
	intersect := func(a, b int) int {
		for a != b {
			for num[a] < num[b] {
				a = ipdom[a]
			}
			for num[b] < num[a] {
				b = ipdom[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- {
			b := fn.Blocks[order[i]]
			next := -1
			if len(b.Succs) == 0 || endless[b.Index] {
				next = n
			}
			for _, s := range b.Succs {
				if ipdom[s.Index] < 0 {
					continue
				}
				if next < 0 {
					next = s.Index
				} else {
					next = intersect(next, s.Index)
				}
			}
			if next >= 0 && ipdom[b.Index] != next {
				ipdom[b.Index] = next
				changed = true
			}
		}
	}
	return ipdom
}
