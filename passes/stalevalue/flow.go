package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A flowKey is a question about the control flow of the function.
type flowKey struct {
	from, to ssa.Instruction
	guard    accesspath.Path // "" for plain reachability
	avoid    ssa.Instruction
	// forward leaves out the ways through a block that comes before from.
	forward bool
}

// releasesOf returns the instructions that give up the guard, or may do so.
func (d *detector) releasesOf(guard accesspath.Path) map[ssa.Instruction]bool {
	set, ok := d.releases[guard]
	if !ok {
		set = make(map[ssa.Instruction]bool)
		for instr, ops := range d.f.Ops() {
			if _, deferred := instr.(*ssa.Defer); deferred {
				continue // at the return, behind everything
			}
			for _, op := range ops {
				if op.Kind != lockset.Acquire && (op.Guard.Path == guard || op.Unnamed) {
					set[instr] = true
				}
			}
		}
		if d.releases == nil {
			d.releases = make(map[accesspath.Path]map[ssa.Instruction]bool)
		}
		d.releases[guard] = set
	}
	return set
}

// flowsTo reports whether control can flow from one instruction to another
// without passing the first again, which would read afresh.
func (d *detector) flowsTo(from, to ssa.Instruction) bool {
	return d.search(flowKey{from: from, to: to})
}

// endsBetween reports whether control can flow from one instruction to another
// and give up the guard on the way.
func (d *detector) endsBetween(from, to ssa.Instruction, guard accesspath.Path) bool {
	return d.search(flowKey{from: from, to: to, guard: guard})
}

// mustPass reports whether control passes via on every way between the two.
func (d *detector) mustPass(from, via, to ssa.Instruction) bool {
	return !d.search(flowKey{from: from, to: to, avoid: via})
}

// search walks the instructions behind k.from. It is linear in the size of the
// function, as it visits each block at most twice, before and after the guard
// was given up.
func (d *detector) search(k flowKey) bool {
	if result, ok := d.flows[k]; ok {
		return result
	}
	if d.flows == nil {
		d.flows = make(map[flowKey]bool)
	}
	d.flows[k] = d.walk(k)
	return d.flows[k]
}

func (d *detector) walk(k flowKey) bool {
	var releases map[ssa.Instruction]bool
	if k.guard != "" {
		releases = d.releasesOf(k.guard)
		if len(releases) == 0 {
			return false
		}
	}
	type point struct {
		block *ssa.BasicBlock
		given bool
	}
	seen := make(map[point]bool)
	var work []point
	// through follows one block and reports whether it arrives.
	through := func(instrs []ssa.Instruction, p point) bool {
		for _, instr := range instrs {
			if instr == k.to && p.given {
				return true
			}
			if instr == k.from || instr == k.avoid {
				return false
			}
			if releases[instr] {
				p.given = true
			}
		}
		for _, s := range p.block.Succs {
			next := point{s, p.given}
			if !seen[next] && !(k.forward && s.Dominates(k.from.Block())) {
				seen[next] = true
				work = append(work, next)
			}
		}
		return false
	}
	b := k.from.Block()
	start := slices.Index(b.Instrs, k.from)
	given := k.guard == "" || releases[k.from]
	if through(b.Instrs[start+1:], point{b, given}) {
		return true
	}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if through(p.block.Instrs, p) {
			return true
		}
	}
	return false
}
