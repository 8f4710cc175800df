package funcsum

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Way describes paths of control from one instruction to another.
type Way struct {
	// From and To are the ends.
	From, To ssa.Instruction
	// Guard, unless it is "", must be released on the path.
	Guard accesspath.Path
	// Avoid must not be on the path. Nor must From be in its middle: a second execution of
	// From starts a path of its own.
	Avoid ssa.Instruction
	// Forward excludes paths through a block that dominates From.
	Forward bool
}

// An Order answers questions about the order of the instructions of a function and the ends
// of its critical sections.
type Order struct {
	f *Body
	// releases caches Releases, by the path of the guard.
	releases map[accesspath.Path]releases
	// byGuard are the instructions that release a guard, by its path, and unnamed those
	// that release an unknown one.
	byGuard map[accesspath.Path][]ssa.Instruction
	unnamed []ssa.Instruction
}

// releases are the instructions that may release a guard, also in the form that path
// queries use.
type releases struct {
	instrs map[ssa.Instruction]bool
	set    *cfgpath.Set
	// byPos are those with a position, in the order of the positions.
	byPos []ssa.Instruction
	// waits are those that wait for a condition, in the order of the function.
	waits []ssa.Instruction
}

// Order returns the Order of f.
func (f *Body) Order() *Order {
	if f.order == nil {
		f.order = &Order{f: f}
	}
	return f.order
}

// Releases returns the instructions that release the guard, or may do so.
func (o *Order) Releases(guard accesspath.Path) map[ssa.Instruction]bool {
	return o.releasesOf(guard).instrs
}

// FirstRelease returns the first instruction, by position, that releases the guard and has a
// property, or nil.
func (o *Order) FirstRelease(guard accesspath.Path, has func(ssa.Instruction) bool) ssa.Instruction {
	list := o.releasesOf(guard).byPos
	if i := slices.IndexFunc(list, has); i >= 0 {
		return list[i]
	}
	return nil
}

// Waits returns the instructions that release the guard to wait for a condition, such as
// cond.Wait(), in the order of the function.
func (o *Order) Waits(guard accesspath.Path) []ssa.Instruction { return o.releasesOf(guard).waits }

func (o *Order) releasesOf(guard accesspath.Path) releases {
	r, ok := o.releases[guard]
	if !ok {
		if o.releases == nil {
			o.index()
		}
		r.instrs = make(map[ssa.Instruction]bool)
		for _, instr := range slices.Concat(o.byGuard[guard], o.unnamed) {
			if !r.instrs[instr] && slices.ContainsFunc(o.f.ops[instr], func(op lockset.Op) bool { return op.Waits }) {
				r.waits = append(r.waits, instr)
			}
			r.instrs[instr] = true
		}
		for instr := range r.instrs {
			if instr.Pos().IsValid() {
				r.byPos = append(r.byPos, instr)
			}
		}
		slices.SortFunc(r.byPos, func(a, b ssa.Instruction) int { return int(a.Pos() - b.Pos()) })
		slices.SortFunc(r.waits, func(a, b ssa.Instruction) int { return ssautil.Ordinal(a) - ssautil.Ordinal(b) })
		r.set = o.f.Paths().Set(maps.Keys(r.instrs))
		o.releases[guard] = r
	}
	return r
}

// index finds the instructions that release guards.
func (o *Order) index() {
	o.releases = make(map[accesspath.Path]releases)
	o.byGuard = make(map[accesspath.Path][]ssa.Instruction)
	for instr, ops := range o.f.ops {
		if _, deferred := instr.(*ssa.Defer); deferred {
			continue // executed at the return, after all accesses
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

// Flows reports whether control can flow from one instruction to another without a second
// execution of the first, which would read again.
func (o *Order) Flows(from, to ssa.Instruction) bool { return o.f.Paths().Flows(from, to) }

// EndsBetween reports whether the guard is released on some path from one instruction to
// another.
func (o *Order) EndsBetween(from, to ssa.Instruction, guard accesspath.Path) bool {
	return o.Exists(Way{From: from, To: to, Guard: guard})
}

// Ends reports whether the section of the guard in which a lies is over before b, on some
// path from a to b; if forward is set, on one that takes no back edge. The call that b is part
// of may end it:
//
//	if s.accounts[name] == nil {
//		s.fetch(name) // unlocks, asks a server, locks, and sets s.accounts[name]
//	}
func (o *Order) Ends(a, b *Event, guard accesspath.Path, forward bool) bool {
	way := cfgpath.Way{From: a.Instr, To: b.Instr, Forward: forward}
	if guard != accesspath.Unknown && !o.reacquired(b, guard) {
		way.Cross = o.endsOf(a, guard)
	}
	return o.f.Paths().Exists(way)
}

// Lasts reports whether the section of the guard in which e lies lasts until the function
// returns, or until e is made again:
//
//	for len(s.queue) == 0 {
//		s.cond.Wait() // the queue is looked at again
//	}
func (o *Order) Lasts(e *Event, guard accesspath.Path) bool {
	way := cfgpath.Way{From: e.Instr, Cross: o.endsOf(e, guard)}
	return !slices.ContainsFunc(o.f.Fn.Blocks, func(b *ssa.BasicBlock) bool {
		way.To = b.Instrs[len(b.Instrs)-1]
		_, returns := way.To.(*ssa.Return)
		return returns && o.f.Paths().Exists(way)
	})
}

// endsOf returns the releases of the guard that end the section in which e lies. If the callee that
// makes e has acquired the guard again, the call itself does not end the section.
func (o *Order) endsOf(e *Event, guard accesspath.Path) *cfgpath.Set {
	r := o.releasesOf(guard)
	if !o.reacquired(e, guard) {
		return r.set
	}
	others := maps.Clone(r.instrs)
	delete(others, e.Instr)
	return o.f.Paths().Set(maps.Keys(others))
}

// reacquired reports whether the callee that makes access e has released a guard of its caller,
// and acquired it again, before.
func (o *Order) reacquired(e *Event, guard accesspath.Path) bool {
	g := e.Hold(guard)
	return g != nil && e.Callee != nil && !g.Inner && len(g.Sites) == 1 && g.Sites[0] == e.Ord && o.releasesOf(guard).instrs[e.Instr]
}

// StaysBetween reports whether the guard is held throughout some path from one instruction
// to another.
func (o *Order) StaysBetween(from, to ssa.Instruction, guard accesspath.Path) bool {
	return o.f.Paths().Exists(cfgpath.Way{From: from, To: to, Cut: o.releasesOf(guard).set})
}

// MustPass reports whether via is on every path between the two.
func (o *Order) MustPass(from, via, to ssa.Instruction) bool {
	return o.f.Paths().MustPass(from, via, to)
}

// Exists reports whether there is such a path.
func (o *Order) Exists(k Way) bool {
	way := cfgpath.Way{From: k.From, To: k.To, Avoid: k.Avoid, Forward: k.Forward}
	if k.Guard != "" {
		way.Cross = o.releasesOf(k.Guard).set
	}
	return o.f.Paths().Exists(way)
}

// IsLong reports whether several calls are on paths from one instruction to another, so that what is done in
// between is an operation. Calls of builtin functions do not count, nor does what the next iteration of a loop
// around from makes.
func (o *Order) IsLong(from, to ssa.Instruction) bool {
	const several = 4
	n, paths := 0, o.f.Paths()
	for _, b := range o.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || instr == from || instr == to {
				continue
			}
			if ssautil.Builtin(&call.Call) != "" {
				continue
			}
			if paths.Forward(from, instr) && paths.Exists(cfgpath.Way{From: instr, To: to, Avoid: from}) {
				n++
			}
			if n == several {
				return true
			}
		}
	}
	return false
}
