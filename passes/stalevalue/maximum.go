package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/summary"
)

// takesNewer: the act is decided by a comparison of what its section writes to a location,
// such as a version, with what is there.
//
//	s.mu.Lock(); body, v := s.body, s.version; s.mu.Unlock()
//	v, err := remote.swap(next(body), v)
//	s.mu.Lock()
//	if v > s.version {
//		s.body, s.version = next(body), v
//	}
//	s.mu.Unlock()
//
// The location only takes larger values. What is written with it belongs to the value, and
// is never replaced by what belongs to a smaller one. Control may also come to the act by
// the other operand of a disjunction, where the section of the read has not ended:
//
//	if remote == nil || v > s.version { // s.mu is only released if remote != nil
func (c *candidate) takesNewer() bool {
	for _, br := range c.d.f.Branches(c.act) {
		f := branch.Alone(br.Cond, true)
		if f.Other == nil || f.Relation != branch.Above && f.Relation != branch.Below {
			continue
		}
		if c.d.only(br, 0, c.act.Instr.Block()) && (c.isMaximum(f.Subject, f.Other, f.Relation == branch.Above) || c.isMaximum(f.Other, f.Subject, f.Relation == branch.Below)) {
			return c.endsOnlyBefore(br)
		}
	}
	return false
}

// isMaximum reports whether there is what the section of the act reads of a location, and
// next what it writes to it. The comparison tells that next is larger, or smaller.
func (c *candidate) isMaximum(next, there ssa.Value, larger bool) bool {
	if !larger {
		return false // a minimum
	}
	return slices.ContainsFunc(c.d.f.Events, func(r *summary.Event) bool {
		return r != c.read && r.Reads() && slices.Contains(r.Values, there) && c.d.oneSection(r, c.act) &&
			slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
				return w.Writes() && w.Loc == r.Loc && accesspath.Same(w.Base, r.Base) && w.Instr.Block() == c.act.Instr.Block() &&
					len(w.Inputs) > 0 && c.isSame(w.Inputs[0], next)
			})
	})
}

// endsOnlyBefore reports whether the section of the read only ends on paths that come to the
// act through a branch.
func (c *candidate) endsOnlyBefore(br *ssa.If) bool {
	for release := range c.d.f.Order().Releases(c.guard.Path) {
		if !c.d.f.Order().Flows(c.read.Instr, release) || !c.d.f.Order().Exists(summary.Way{From: release, To: c.act.Instr, Avoid: br}) {
			continue
		}
		if !c.skips(br, release) {
			return false
		}
	}
	return true
}

// skips reports whether the branches by which control comes to the act without br are not
// taken after an instruction: it is only reached if a field that never changes tells otherwise.
func (c *candidate) skips(br *ssa.If, after ssa.Instruction) bool {
	for _, other := range c.d.f.Branches(c.act) {
		for side, succ := range other.Block().Succs {
			if other == br || succ != c.act.Instr.Block() && !c.d.f.Order().Exists(summary.Way{From: succ.Instrs[0], To: c.act.Instr, Avoid: br}) {
				continue
			}
			f := branch.Alone(other.Cond, side == 0)
			for g := range branch.At(after.Block()) {
				if c.excludeEachOther(f, g) {
					return true
				}
			}
		}
	}
	return false
}

// excludeEachOther reports whether two facts about a field that never changes, as it is at
// different times, cannot both hold.
func (c *candidate) excludeEachOther(f, g branch.Fact) bool {
	load, ok := f.Subject.(*ssa.UnOp)
	if !ok || f.Relation == branch.Unknown || g.Relation == branch.Unknown || c.d.pkg.Guards().Mutable(load.X) || !c.isSame(f.Subject, g.Subject) {
		return false
	}
	return f.Nil() && g.NonNil() || f.NonNil() && g.Nil() || f.True() && g.False() || f.False() && g.True()
}

// isSame reports whether two values are one, or are read from one place.
func (c *candidate) isSame(v, w ssa.Value) bool {
	v, w = branch.Plain(v), branch.Plain(w)
	if v == w {
		return true
	}
	path := c.d.f.Res.Resolve(v).Path
	return accesspath.Same(path, c.d.f.Res.Resolve(w).Path)
}
