package depgraph

import "golang.org/x/tools/go/ssa"

// postDominators returns the immediate post-dominator of each block, by the
// algorithm of Cooper, Harvey and Kennedy on the reversed graph. The virtual
// exit has the number of blocks; blocks that cannot reach it have -1.
func postDominators(fn *ssa.Function) []int {
	r := newReversed(fn)
	exit := len(fn.Blocks)
	ipdom := make([]int, exit+1)
	for i := range ipdom {
		ipdom[i] = -1
	}
	ipdom[exit] = exit
	for changed := true; changed; {
		changed = false
		for i := len(r.order) - 1; i >= 0; i-- {
			b := fn.Blocks[r.order[i]]
			if next := r.nearest(b, ipdom); next >= 0 && ipdom[b.Index] != next {
				ipdom[b.Index] = next
				changed = true
			}
		}
	}
	return ipdom
}

// A reversed graph is the control-flow graph of a function with its edges turned round, from a virtual exit,
// which has the number of blocks, to the entry.
type reversed struct {
	fn *ssa.Function
	// order has the blocks that reach the exit in postorder, and num the place of each in it.
	order, num []int
	visited    []bool
	// endless are the blocks that serve as exits of loops without one.
	endless []bool
}

// newReversed orders the blocks of fn. A path that ends in a panic, or in a call that does not return, is no
// exit of the function: a branch to such a path is an assertion, and the code behind the assertion is not
// control-dependent on it.
func newReversed(fn *ssa.Function) *reversed {
	n := len(fn.Blocks)
	r := &reversed{fn: fn, order: make([]int, 0, n), num: make([]int, n+1), visited: make([]bool, n), endless: make([]bool, n)}
	failing := Failing(fn)
	for _, b := range fn.Blocks {
		if len(b.Succs) == 0 && !r.visited[b.Index] && !failing[b.Index] {
			r.visit(b)
		}
	}
	r.addEndless(failing)
	r.num[n] = len(r.order)
	return r
}

// visit appends to the order b and the blocks that lead to it.
func (r *reversed) visit(b *ssa.BasicBlock) {
	r.visited[b.Index] = true
	for _, p := range b.Preds {
		if !r.visited[p.Index] {
			r.visit(p)
		}
	}
	r.num[b.Index] = len(r.order)
	r.order = append(r.order, b.Index)
}

// addEndless visits the loops that have no exit. Their blocks with a back edge serve as exits, or the last
// block if the loop has no head.
func (r *reversed) addEndless(failing []bool) {
	blocks := r.fn.Blocks
	for _, b := range blocks {
		if r.visited[b.Index] || b == r.fn.Recover || failing[b.Index] {
			continue
		}
		for _, s := range b.Succs {
			r.endless[b.Index] = r.endless[b.Index] || s.Dominates(b)
		}
	}
	for i := len(blocks) - 1; i >= 0; i-- {
		if r.endless[i] && !r.visited[i] {
			r.visit(blocks[i])
		}
	}
	for i := len(blocks) - 1; i >= 0; i-- {
		if !r.visited[i] && blocks[i] != r.fn.Recover && !failing[i] {
			r.endless[i] = true
			r.visit(blocks[i])
		}
	}
}

// nearest returns the nearest block that all paths from b lead through, as far as ipdom is known, or -1.
func (r *reversed) nearest(b *ssa.BasicBlock, ipdom []int) int {
	next := -1
	if len(b.Succs) == 0 || r.endless[b.Index] {
		next = len(r.fn.Blocks)
	}
	for _, s := range b.Succs {
		switch {
		case ipdom[s.Index] < 0:
		case next < 0:
			next = s.Index
		default:
			next = r.intersect(next, s.Index, ipdom)
		}
	}
	return next
}

// intersect returns the nearest common post-dominator of a and b.
func (r *reversed) intersect(a, b int, ipdom []int) int {
	for a != b {
		for r.num[a] < r.num[b] {
			a = ipdom[a]
		}
		for r.num[b] < r.num[a] {
			b = ipdom[b]
		}
	}
	return a
}
