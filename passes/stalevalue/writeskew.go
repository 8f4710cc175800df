package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// isSkewed: write skew (Berenson and others, A critique of ANSI SQL isolation levels,
// section 4.2, A5B). The function reads x, does something by it, and writes y in a later
// section; another one reads y and computes x from it.
//
//	s.mu.Lock(); if s.ready { start(s.job) }; s.mu.Unlock()
//	s.mu.Lock(); s.limit = n; s.mu.Unlock() // elsewhere: s.ready = s.used < s.limit
//
// Each has seen the other's variable as it was before. Neither the value of y nor the
// decision to write it depends on x, but x is meant to tell about y.
func (p *pair) isSkewed() bool {
	r, w := p.read, p.act
	if r.Loc == w.Loc || r.Callee != nil || w.Callee != nil || w.Within != nil || r.Within != nil ||
		w.Hold(p.guard.Path) == nil || p.guard.Inner || !accesspath.Same(r.Base, w.Base) {
		return false
	}
	return len(p.d.others.Derives(r.Loc, w.Loc)) > 0 && p.d.actsOn(r, w)
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
	for br := range d.f.BranchesOn(values) {
		conds[br.Cond] = true
	}
	for _, b := range d.f.Fn.Blocks {
		if len(conds) == 0 || !d.f.DecidedBy(b, conds) {
			continue
		}
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && d.f.Paths().Reaches(instr, w.Instr) && slices.ContainsFunc(c.Call.Args, func(a ssa.Value) bool {
				return d.f.Slice(a).HasAny(values)
			}) {
				return true
			}
		}
	}
	return false
}
