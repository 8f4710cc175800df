package cfgpath

import "golang.org/x/tools/go/ssa"

// A question is a Way without its end, and without Avoid if the dominators answer for it.
type question struct {
	from       point
	cross, cut *Set
	avoid      point
	forward    bool
}

// A search has the nodes that the paths from one instruction reach.
//
// Its nodes are the blocks, each entered at its first instruction, and the root: the rest
// of the block of From after From. That block itself is a node that ends at From.
type search struct {
	question
	p    *Paths
	root int32
	// entered are the nodes that are reached, after a crossing if Cross is given; early
	// are those that are reached without a crossing.
	entered, early bitset
	tree           *dominators // of the nodes entered, if Cross is not given
}

// search returns the answer to a question.
func (p *Paths) search(q question) *search {
	if p.last != nil && p.last.question == q {
		return p.last // as in a loop over the ends of paths from one instruction
	}
	s := p.searches[q]
	if s == nil {
		if n := len(p.fn.Blocks); len(p.searches) > maxKept/(n/4+128) {
			clear(p.searches)
			p.trees = 0
		}
		s = &search{question: q, p: p, root: int32(len(p.fn.Blocks))}
		s.run()
		p.searches[q] = s
	}
	p.last = s
	return s
}

func (s *search) run() {
	n := len(s.p.fn.Blocks)
	s.entered = newBitset(n + 1)
	s.early = s.entered
	if s.cross != nil {
		s.early = newBitset(n + 1)
	}
	// A work item is a node, and whether the path to it has a crossing.
	work := s.p.work[:0]
	enter := func(node int32, crossed bool) {
		set, bit := s.early, int32(0)
		if crossed {
			set, bit = s.entered, 1
		}
		if !set.has(int(node)) {
			set.add(int(node))
			work = append(work, node<<1|bit)
		}
	}
	enter(s.root, s.cross == nil || s.cross.first(s.from.block, s.from.index) == s.from.index)
	for len(work) > 0 {
		node, crossed := work[len(work)-1]>>1, work[len(work)-1]&1 != 0
		work = work[:len(work)-1]
		if s.ends(node) {
			continue
		}
		b, start := s.segment(node)
		crossed = crossed || s.cross.first(b, start) != none
		for _, succ := range s.p.fn.Blocks[b].Succs {
			if !s.leavesOut(succ) {
				enter(int32(succ.Index), crossed)
			}
		}
	}
	s.p.work = work
}

// segment returns the block of a node and the index where the node begins there.
func (s *search) segment(node int32) (block, start int32) {
	if node == s.root {
		return s.from.block, s.from.index + 1
	}
	return node, 0
}

// node returns the node that contains an instruction.
func (s *search) node(at point) int32 {
	if at.block == s.from.block && at.index > s.from.index {
		return s.root
	}
	return at.block
}

// ends reports whether all paths end in the node, because of an instruction that must not
// be on them.
func (s *search) ends(node int32) bool {
	if node == s.from.block {
		return true // at From
	}
	block, start := s.segment(node)
	return s.cut.first(block, start) != none || s.avoid != nowhere && s.node(s.avoid) == node
}

// leavesOut reports whether paths must not enter a block: see Way.Forward.
func (s *search) leavesOut(b *ssa.BasicBlock) bool {
	return s.forward && b.Dominates(s.p.fn.Blocks[s.from.block])
}

// reaches reports whether a path leads to an instruction.
func (s *search) reaches(to point) bool {
	node := s.node(to)
	block, start := s.segment(node)
	if s.cut.first(block, start) < to.index || s.avoid != nowhere && s.node(s.avoid) == node && s.avoid.index < to.index {
		return false
	}
	return s.entered.has(int(node)) || s.early.has(int(node)) && s.cross.first(block, start) < to.index
}

// passes reports whether via is on all paths to a reached instruction. The question must
// have no Cross.
func (s *search) passes(via, to point) bool {
	a, b := s.node(via), s.node(to)
	if a == b {
		return via.index < to.index
	}
	if !s.entered.has(int(a)) {
		return false
	}
	if s.tree == nil {
		if s.p.trees > maxKept/(8*int(s.root)+128) {
			for _, other := range s.p.searches {
				other.tree = nil
			}
			s.p.trees = 0
		}
		s.p.trees++
		s.tree = newDominators(s)
	}
	return s.tree.dominates(a, b)
}

// predecessors yields the nodes that a node follows and that are entered.
func (s *search) predecessors(node int32, yield func(int32)) {
	for _, pred := range s.p.fn.Blocks[node].Preds {
		from := int32(pred.Index)
		if from == s.from.block {
			from = s.root
		}
		if s.entered.has(int(from)) && !s.ends(from) {
			yield(from)
		}
	}
}
