package cfgpath

import "golang.org/x/tools/go/ssa"

// components are the strongly connected components of a control-flow graph, numbered such
// that the components that one reaches have lower numbers.
type components struct {
	of     []int32 // by block
	cyclic []bool  // by component: there is a path from a block of it to itself
}

// Reaches reports whether there is a path from a to b, which may execute a again.
func (p *Paths) Reaches(a, b ssa.Instruction) bool {
	from, ok := p.point(a)
	to, ok2 := p.point(b)
	if !ok || !ok2 {
		return false
	}
	if from.block == to.block && from.index < to.index {
		return true
	}
	if p.parts == nil {
		p.parts = newComponents(p.fn)
	}
	x, y := p.parts.of[from.block], p.parts.of[to.block]
	switch {
	case x == y:
		return p.parts.cyclic[x]
	case x < y:
		return false
	}
	return p.row(x, from.block).has(int(to.block))
}

// row returns the blocks that can be reached from the component of a block.
func (p *Paths) row(component, block int32) bitset {
	row, ok := p.rows[component]
	if ok {
		return row
	}
	n := len(p.fn.Blocks)
	if p.rows == nil || len(p.rows) > maxKept/(n/8+64) {
		p.rows = make(map[int32]bitset)
	}
	row = newBitset(n)
	work := append(p.work[:0], block)
	for len(work) > 0 {
		b := p.fn.Blocks[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if !row.has(s.Index) {
				row.add(s.Index)
				work = append(work, int32(s.Index))
			}
		}
	}
	p.work = work
	p.rows[component] = row
	return row
}

// newComponents finds the components by Tarjan's algorithm.
func newComponents(fn *ssa.Function) *components {
	n := len(fn.Blocks)
	c := &components{of: make([]int32, n)}
	num, low := make([]int32, n), make([]int32, n) // from 1 on
	var stack []*ssa.BasicBlock
	var counter int32
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		counter++
		num[b.Index], low[b.Index] = counter, counter
		c.of[b.Index] = -1
		stack = append(stack, b)
		self := false
		for _, s := range b.Succs {
			self = self || s == b
			if num[s.Index] == 0 {
				visit(s)
			}
			if c.of[s.Index] < 0 { // on the stack
				low[b.Index] = min(low[b.Index], low[s.Index])
			}
		}
		if low[b.Index] != num[b.Index] {
			return
		}
		first := len(stack) - 1
		for stack[first] != b {
			first--
		}
		for _, member := range stack[first:] {
			c.of[member.Index] = int32(len(c.cyclic))
		}
		c.cyclic = append(c.cyclic, self || len(stack)-first > 1)
		stack = stack[:first]
	}
	for _, b := range fn.Blocks {
		if num[b.Index] == 0 {
			visit(b)
		}
	}
	return c
}
