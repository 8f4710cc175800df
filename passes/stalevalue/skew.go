package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// Write skew: this function reads x, does something by it, and later writes y; another
// reads y and computes x from it in between. Each has seen the other's variable as it
// was before. Neither the value of y nor the decision to write it depends on x, but x
// is meant to tell about y (Berenson and others, A critique of ANSI SQL isolation
// levels, section 4.2, A5B).

// skewed reports whether the act and the read of s are the one half of a write skew,
// and fills in who is the other.
func (d *detector) skewed(s *stale) bool {
	r, w := s.read, s.act
	if r.Loc == w.Loc || r.Callee != nil || w.Callee != nil || w.Within != nil || r.Within != nil ||
		w.Hold(s.guard.Path) == nil || s.guard.Inner || !accesspath.Same(r.Base, w.Base) {
		return false
	}
	other, ok := d.pkg.Derives(r.Loc, w.Loc)
	if !ok || !d.pkg.Concurrent(d.f, &other) || !d.splits(s) || d.comesAround(s) || d.handles(w, r) {
		return false
	}
	if other.Needs(d.heldThrough(s)) {
		return false
	}
	s.writer = &other
	return d.actsOn(r, w)
}

// actsOn reports whether something is done with what was read, and only if that says
// so, before control comes to w.
func (d *detector) actsOn(r, w *summary.Event) bool {
	var values []ssa.Value
	for _, e := range d.f.Events {
		if e.Reads() && sameCell(e, r) && (e == r || summary.SharePassage(e, r)) {
			values = append(values, e.Values...)
		}
	}
	conds := make(map[ssa.Value]bool)
	for br := range d.pkg.BranchesOn(d.f, values) {
		conds[br.Cond] = true
	}
	for _, b := range d.f.Fn.Blocks {
		if len(conds) == 0 || !d.pkg.DecidedBy(b, conds) {
			continue
		}
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && summary.Reaches(instr, w.Instr) && slices.ContainsFunc(c.Call.Args, func(a ssa.Value) bool {
				return d.pkg.Slice(d.f, a).HasAny(values)
			}) {
				return true
			}
		}
	}
	return false
}
