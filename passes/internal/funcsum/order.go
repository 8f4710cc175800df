package funcsum

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
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
	f *Body
	// releases caches the releases of a guard: see Releases.
	releases map[accesspath.Path]releases
	// byGuard and unnamed are the instructions that give up a guard, by its path, and
	// those that may give up any.
	byGuard map[accesspath.Path][]ssa.Instruction
	unnamed []ssa.Instruction
}

// releases are the instructions that give up a guard.
type releases struct {
	instrs map[ssa.Instruction]bool
	set    *cfgpath.Set
}

// Order returns the order of the instructions of f.
func (f *Body) Order() *Order {
	if f.order == nil {
		f.order = &Order{f: f}
	}
	return f.order
}

// Releases returns the instructions that give up the guard, or may do so.
func (o *Order) Releases(guard accesspath.Path) map[ssa.Instruction]bool {
	return o.releasesOf(guard).instrs
}

func (o *Order) releasesOf(guard accesspath.Path) releases {
	r, ok := o.releases[guard]
	if !ok {
		if o.releases == nil {
			o.index()
		}
		r.instrs = make(map[ssa.Instruction]bool)
		for _, instr := range slices.Concat(o.byGuard[guard], o.unnamed) {
			r.instrs[instr] = true
		}
		r.set = o.f.Paths().Set(maps.Keys(r.instrs))
		o.releases[guard] = r
	}
	return r
}

// index finds the instructions that give up guards.
func (o *Order) index() {
	o.releases = make(map[accesspath.Path]releases)
	o.byGuard = make(map[accesspath.Path][]ssa.Instruction)
	for instr, ops := range o.f.ops {
		if _, deferred := instr.(*ssa.Defer); deferred {
			continue // at the return, behind everything
		}
		for _, op := range ops {
			switch {
			case op.Kind == lockset.Acquire:
			case op.Unnamed:
				o.unnamed = append(o.unnamed, instr)
			default:
				o.byGuard[op.Guard.Path] = append(o.byGuard[op.Guard.Path], instr)
			}
		}
	}
}

// Flows reports whether control can flow from one instruction to another
// without passing the first again, which would read afresh.
func (o *Order) Flows(from, to ssa.Instruction) bool { return o.f.Paths().Flows(from, to) }

// EndsBetween reports whether control can flow from one instruction to another
// and give up the guard on the way.
func (o *Order) EndsBetween(from, to ssa.Instruction, guard accesspath.Path) bool {
	return o.Exists(Way{From: from, To: to, Guard: guard})
}

// StaysBetween reports whether control can flow from one instruction to another
// without giving up the guard.
func (o *Order) StaysBetween(from, to ssa.Instruction, guard accesspath.Path) bool {
	return o.f.Paths().Exists(cfgpath.Way{From: from, To: to, Cut: o.releasesOf(guard).set})
}

// MustPass reports whether control passes via on every way between the two.
func (o *Order) MustPass(from, via, to ssa.Instruction) bool {
	return o.f.Paths().MustPass(from, via, to)
}

// Exists reports whether there is such a way.
func (o *Order) Exists(k Way) bool {
	way := cfgpath.Way{From: k.From, To: k.To, Avoid: k.Avoid, Forward: k.Forward}
	if k.Guard != "" {
		way.Cross = o.releasesOf(k.Guard).set
	}
	return o.f.Paths().Exists(way)
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
