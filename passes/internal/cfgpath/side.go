package cfgpath

import "golang.org/x/tools/go/ssa"

// sides are the blocks that only one side of a branch reaches before the branch is executed
// again: for each successor, those that the other one does not reach.
type sides [2]bitset

// OnlySide returns the successor of the branch, 0 or 1, from which an instruction is reached before
// the branch is executed again, or -1 if it is reached from both, or from neither.
func (p *Paths) OnlySide(br *ssa.If, to ssa.Instruction) int {
	b, at := br.Block(), to.Block()
	if b.Parent() != p.fn || at.Parent() != p.fn {
		return -1
	}
	only := p.sides(br)
	for side := range only {
		if only[side].has(at.Index) {
			return side
		}
	}
	return -1
}

func (p *Paths) sides(br *ssa.If) sides {
	if only, ok := p.only[br]; ok {
		return only
	}
	n := len(p.fn.Blocks)
	if p.only == nil || len(p.only) > maxKept/(n/4+128) {
		p.only = make(map[*ssa.If]sides)
	}
	var only sides
	for side, b := range br.Block().Succs {
		only[side] = p.before(b, br.Block())
	}
	for i, word := range only[0] {
		only[0][i], only[1][i] = word&^only[1][i], only[1][i]&^word
	}
	p.only[br] = only
	return only
}

// before returns the blocks that are reached from a block without leaving block end.
func (p *Paths) before(from, end *ssa.BasicBlock) bitset {
	reached := newBitset(len(p.fn.Blocks))
	reached.add(from.Index)
	work := append(p.work[:0], int32(from.Index))
	for len(work) > 0 {
		b := p.fn.Blocks[work[len(work)-1]]
		work = work[:len(work)-1]
		if b == end {
			continue
		}
		for _, s := range b.Succs {
			if !reached.has(s.Index) {
				reached.add(s.Index)
				work = append(work, int32(s.Index))
			}
		}
	}
	p.work = work
	return reached
}
