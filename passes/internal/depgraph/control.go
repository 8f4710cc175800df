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
