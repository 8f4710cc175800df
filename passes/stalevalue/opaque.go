package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// asksForElements reports whether the decision is a result of a callee that reads a list or a map: no fact about one value, which another
// element may falsify.
//
//	if !r.allReady() { return } // for _, s := range r.seats { if !s.ready { return false } }
//
// An act that withdraws what the function has written before the read is no write that rivals check for.
//
//	s.closing.Store(true)
//	if s.any() { s.closing.Store(false) }
func (p *pair) asksForElements() bool {
	if len(p.facts()) > 0 || slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && sameCell(e, p.act) && p.d.f.Order().Flows(e.Instr, p.read.Instr)
	}) {
		return false
	}
	for _, looked := range p.d.pkg.Processes().Descent(p.d.f, p.read) {
		if looked != p.read && slices.ContainsFunc(looked.Values, func(v ssa.Value) bool { return depgraph.IsContainer(v.Type()) }) {
			return true
		}
	}
	return false
}

// isPartOf reports whether the act is made by f, or by a callee of f.
func (p *pair) isPartOf(f *summary.Func) bool {
	for g := range p.d.pkg.Processes().Descent(p.d.f, p.act) {
		if g == f && g != p.d.f {
			return true
		}
	}
	return false
}
