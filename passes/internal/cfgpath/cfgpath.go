// Package cfgpath answers questions about the control-flow paths of a function.
//
// Most properties of two accesses depend on what can happen between them: is there a path
// from the one to the other, one that releases a lock, one that avoids a third
// instruction, one that takes no back edge of a loop. A detector asks such questions of
// all pairs of accesses, and of triples, so that a search of the control-flow graph for
// each makes the analysis of a function cubic in its length.
//
// A search from one instruction answers the question for all ends at once, and the
// dominator tree of the nodes that it reaches answers it for all instructions to be
// avoided: via is on every path from a to b if it dominates b in the graph whose entry is
// a. The searches are kept, as sets of blocks, so that a question costs a look-up, and
// the work linear in the function is done once for each start. Plain reachability is
// answered by the strongly connected components of the graph.
package cfgpath

import (
	"iter"
	"math"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"golang.org/x/tools/go/ssa"
)

// A Way describes paths from one instruction to another. Neither end is on the path: it
// begins after From. From does not occur on it a second time either, as an execution of
// From begins a new path; but To may be From.
type Way struct {
	From, To ssa.Instruction // the ends
	// Cross, unless it is nil, is a set of instructions of which at least one must be on
	// the path; From counts.
	Cross *Set
	// Cut are instructions that must not be on the path. From does not count.
	Cut *Set
	// Avoid is one more instruction that must not be on the path. It is separate from Cut
	// because of the cost: one search answers the question for all values of Avoid.
	Avoid ssa.Instruction
	// Forward excludes the paths through a block that dominates the block of From: the
	// next iteration of a loop around it, or a second execution of its own block.
	Forward bool
}

// Paths answers questions about the paths of one function. It is not safe for
// concurrent use. Instructions of other functions are on no path.
type Paths struct {
	fn *ssa.Function
	// index has the positions of the instructions in the long blocks that were asked for;
	// short blocks are searched.
	index   map[ssa.Instruction]int32
	indexed bitset

	parts    *components
	rows     map[int32]bitset // the blocks that a component reaches
	only     map[*ssa.If]sides
	searches map[question]*search
	last     *search // the one asked for last
	trees    int     // number of the searches that have a dominator tree
	work     []int32
}

// maxKept bounds, in bytes, the results that are kept for one function. Beyond it the
// results are dropped, and computed again.
var maxKept = limit.KeptPaths

// New returns the paths of a function.
func New(fn *ssa.Function) *Paths {
	return &Paths{fn: fn, searches: make(map[question]*search)}
}

// Flows reports whether there is a path from one instruction to another.
func (p *Paths) Flows(from, to ssa.Instruction) bool {
	return p.Exists(Way{From: from, To: to})
}

// Forward reports whether there is a path that takes no back edge of a loop around from.
func (p *Paths) Forward(from, to ssa.Instruction) bool {
	return p.Exists(Way{From: from, To: to, Forward: true})
}

// MustPass reports whether via is on every path from from to to.
func (p *Paths) MustPass(from, via, to ssa.Instruction) bool {
	return !p.Exists(Way{From: from, To: to, Avoid: via})
}

// Exists reports whether a path of the described kind exists.
func (p *Paths) Exists(w Way) bool {
	from, ok := p.point(w.From)
	to, ok2 := p.point(w.To)
	if !ok || !ok2 || w.Cross != nil && w.Cross.n == 0 {
		return false
	}
	q := question{from: from, cross: w.Cross, cut: w.Cut, forward: w.Forward, avoid: nowhere}
	avoid, avoids := nowhere, false
	if w.Avoid != nil && w.Avoid != w.From {
		avoid, avoids = p.point(w.Avoid)
	}
	if avoids && w.Cross != nil {
		// If avoid may be passed both before and after the crossing, it stands for two
		// nodes, and the dominators of neither answer the question.
		q.avoid, avoids = avoid, false
	}
	s := p.search(q)
	return s.reaches(to) && !(avoids && s.passes(avoid, to))
}

// A point is the position of an instruction.
type point struct{ block, index int32 }

var nowhere = point{-1, -1}

// point returns the position of an instruction; ok is false if it is in another function.
func (p *Paths) point(instr ssa.Instruction) (point, bool) {
	b := instr.Block()
	if b == nil || b.Parent() != p.fn {
		return nowhere, false
	}
	return point{int32(b.Index), p.indexOf(b, instr)}, true
}

func (p *Paths) indexOf(b *ssa.BasicBlock, instr ssa.Instruction) int32 {
	const short = 24
	if len(b.Instrs) <= short {
		return int32(slices.Index(b.Instrs, instr))
	}
	if p.index == nil {
		p.index = make(map[ssa.Instruction]int32)
		p.indexed = newBitset(len(p.fn.Blocks))
	}
	if !p.indexed.has(b.Index) {
		p.indexed.add(b.Index)
		for i, instr := range b.Instrs {
			p.index[instr] = int32(i)
		}
	}
	return p.index[instr]
}

// A Set is a set of instructions of one function.
type Set struct {
	n      int
	blocks bitset
	at     map[int32][]int32 // the indexes in each block, sorted
}

// Set returns a set of instructions.
func (p *Paths) Set(instrs iter.Seq[ssa.Instruction]) *Set {
	s := &Set{blocks: newBitset(len(p.fn.Blocks)), at: make(map[int32][]int32)}
	for instr := range instrs {
		at, ok := p.point(instr)
		if !ok {
			continue
		}
		list := s.at[at.block]
		if i, found := slices.BinarySearch(list, at.index); !found {
			s.n++
			s.blocks.add(int(at.block))
			s.at[at.block] = slices.Insert(list, i, at.index)
		}
	}
	return s
}

// none is the index that first returns if there is no such instruction.
const none = math.MaxInt32

// first returns the index of the first instruction of the set in a block, from index i
// on, or none.
func (s *Set) first(block, i int32) int32 {
	if s == nil || !s.blocks.has(int(block)) {
		return none
	}
	list := s.at[block]
	if j, _ := slices.BinarySearch(list, i); j < len(list) {
		return list[j]
	}
	return none
}

// A bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }
