package summary

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A Way is a question about the control flow of a function: whether there is a
// way from one instruction to another.
type Way struct {
	From, To ssa.Instruction
	// Guard, unless it is "", must be given up on the way.
	Guard accesspath.Path
	// Avoid must not be on the way. Nor must From be: who comes there again
	// begins anew.
	Avoid ssa.Instruction
	// Forward leaves out the ways through a block that comes before From.
	Forward bool
}

// An Order answers questions about the order in which the instructions of a
// function, and the passages through its guards, come.
type Order struct {
	f *SumFunc
	// releases caches the releases of a Guard: see Releases.
	releases map[accesspath.Path]map[ssa.Instruction]bool
	ways     map[Way]bool
}

// Order returns the order of the instructions of f.
func (f *SumFunc) Order() *Order {
	if f.order == nil {
		f.order = &Order{
			f:        f,
			releases: make(map[accesspath.Path]map[ssa.Instruction]bool),
			ways:     make(map[Way]bool),
		}
	}
	return f.order
}

// Releases returns the instructions that give up the guard, or may do so.
func (o *Order) Releases(guard accesspath.Path) map[ssa.Instruction]bool {
	set, ok := o.releases[guard]
	if !ok {
		set = make(map[ssa.Instruction]bool)
		for instr, ops := range o.f.ops {
			if _, deferred := instr.(*ssa.Defer); deferred {
				continue // at the return, behind everything
			}
			for _, op := range ops {
				if op.Kind != lockset.Acquire && (op.Guard.Path == guard || op.Unnamed) {
					set[instr] = true
				}
			}
		}
		o.releases[guard] = set
	}
	return set
}

// Flows reports whether control can flow from one instruction to another
// without passing the first again, which would read afresh.
func (o *Order) Flows(from, to ssa.Instruction) bool {
	return o.Exists(Way{From: from, To: to})
}

// EndsBetween reports whether control can flow from one instruction to another
// and give up the guard on the way.
func (o *Order) EndsBetween(from, to ssa.Instruction, guard accesspath.Path) bool {
	return o.Exists(Way{From: from, To: to, Guard: guard})
}

// MustPass reports whether control passes via on every way between the two.
func (o *Order) MustPass(from, via, to ssa.Instruction) bool {
	return !o.Exists(Way{From: from, To: to, Avoid: via})
}

// Exists reports whether there is such a way. It is linear in the size of the
// function, as it visits each block at most twice, before and after the guard
// was given up.
func (o *Order) Exists(k Way) bool {
	if result, ok := o.ways[k]; ok {
		return result
	}
	o.ways[k] = o.walk(k)
	return o.ways[k]
}

func (o *Order) walk(k Way) bool {
	var releases map[ssa.Instruction]bool
	if k.Guard != "" {
		releases = o.Releases(k.Guard)
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
			if instr == k.To && p.given {
				return true
			}
			if instr == k.From || instr == k.Avoid {
				return false
			}
			if releases[instr] {
				p.given = true
			}
		}
		for _, s := range p.block.Succs {
			next := point{s, p.given}
			if !seen[next] && !(k.Forward && s.Dominates(k.From.Block())) {
				seen[next] = true
				work = append(work, next)
			}
		}
		return false
	}
	b := k.From.Block()
	start := slices.Index(b.Instrs, k.From)
	given := k.Guard == "" || releases[k.From]
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

// Held returns the locks that the function holds from a to b without interruption. If
// forward is set, the ways that go round a loop first do not count.
func (o *Order) Held(a, b *Event, forward bool) []lockset.Guard {
	var out []lockset.Guard
	for _, h := range a.Holds {
		g := b.Hold(h.Path)
		if g == nil || h.Inner || g.Inner {
			continue
		}
		if !o.Exists(Way{From: a.Instr, To: b.Instr, Guard: h.Path, Forward: forward}) {
			out = append(out, h.Guard)
		}
	}
	return append(out, o.f.claimedThrough(a.Instr, b.Instr)...)
}
