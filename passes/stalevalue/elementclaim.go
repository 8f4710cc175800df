package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A claim on elements: the section that chooses elements of a container asks for a flag of them, and sets it in those that it
// has chosen.
//
//	for _, s := range l.segments { if !s.busy { chosen = append(chosen, s) } } // under l.mu
//	for _, s := range chosen { s.busy = true }
//
// They stay in the container, and what was found of them stays true, as far as all others who change the container ask for the
// flag, or only add elements.

// claimsElements: the function has claimed the elements that it read, and no rival that ignores the claim runs between the read and
// the act.
func (c *candidate) claimsElements() bool {
	flag := c.d.claimedBy(c.read)
	return flag != "" && !c.anyRival(func(r rival) bool {
		return r.writer.Effect != summary.Raises && !c.isOwn(r.writer) && !r.asksForClaim(flag) && r.runs()
	})
}

// isIgnored reports whether a rival that is not part of the function does not ask for the flag of a claim.
func (c *candidate) isIgnored(flag accesspath.Location) bool {
	return c.anyRival(func(r rival) bool { return !c.isOwn(r.writer) && !r.asksForClaim(flag) && r.runs() })
}

// isOwn reports whether a writer is the function, or one that only the function calls: another run of it has claimed other
// elements.
func (c *candidate) isOwn(w *summary.Writer) bool {
	return c.makesAct(w) || w.Fn >= 0 && (w.Fn == c.d.f.ID || c.d.pkg.Processes().OnlyReachedBy(c.d.pkg.Funcs[w.Fn], c.d.f))
}

// claimedBy returns the flag by which the section of a read claims the elements that it reads, in the function or in the callee
// which makes the read, or "".
func (d *detector) claimedBy(r *summary.Event) accesspath.Location {
	f := d.f
	for g, inner := range d.others.Descent(f, r) {
		f, r = g, inner
	}
	for _, set := range f.Events {
		if !set.Writes() || set.Const == "" || set.Empties() || set.Key != "" || !summary.SharePassage(set, r) && len(f.HeldThrough(r, set)) == 0 {
			continue
		}
		if set.Loc == r.Loc && len(r.Base.Keys()) > 0 && f.DecidesBranch(r.Values) && f.Order().Flows(r.Instr, set.Instr) {
			return set.Loc // what was read is the flag
		}
		if set.Base == r.Base {
			continue
		}
		if slices.ContainsFunc(f.Events, func(test *summary.Event) bool {
			return test.Reads() && test.Loc == set.Loc && summary.SharePassage(test, r) && test.Base != r.MemberPath() && test.Base.Within(r.MemberPath()) &&
				f.DecidesBranch(test.Values) && f.Order().Flows(test.Instr, set.Instr)
		}) || d.literalReads(f, set.Loc) {
			return set.Loc
		}
	}
	return ""
}

// asksForClaim reports whether the function of the rival, or a literal in it, reads a flag, or all functions that call it do.
func (r rival) asksForClaim(flag accesspath.Location) bool {
	if r.writer.Fn < 0 {
		return false
	}
	by := r.d.pkg.Funcs[r.writer.Fn]
	return readsAt(by, flag) || r.d.literalReads(by, flag) || r.d.callersRead(by, flag)
}

// callersRead reports whether a function is called in the package only, and all who call it read a location.
//
//	if !s.busy { s.workLocked() }
func (d *detector) callersRead(f *summary.Func, l accesspath.Location) bool {
	return d.pkg.Processes().OnlyCalled(f, func(caller *summary.Func, _ ssa.Instruction) bool { return readsAt(caller, l) })
}

// literalReads reports whether a literal in f reads a location.
//
//	if slices.ContainsFunc(run, func(s *segment) bool { return s.busy }) { continue }
func (d *detector) literalReads(f *summary.Func, l accesspath.Location) bool {
	return slices.ContainsFunc(d.pkg.Funcs, func(g *summary.Func) bool { return g.Fn.Parent() == f.Fn && readsAt(g, l) })
}
