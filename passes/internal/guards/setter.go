package guards

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"golang.org/x/tools/go/ssa"
)

// The writers of a location are the functions that choose what is written. A setter with
// known callers chooses nothing: each of its calls is a write of the caller, with a value,
// conditions and a context of its own.
//
//	func (c *conn) set(s state) { c.state = s } // no writer
//	func (c *conn) Close()      { c.mu.Lock(); c.set(closed); c.mu.Unlock() } // a writer

// accountsFor reports whether an access is one of f itself, and not of a callee that is
// asked about it on its own.
func (p *Guards) accountsFor(f *process.Func, e *funcsum.Event) bool {
	passes := e.Traits.Has(fact.Passed) && p.setters()[f.Sum]
	switch {
	case e.Within != nil && e.Within.Loc.IsParam() && !e.Loc.IsParam():
		return true // the literal has no name for what it writes
	case e.Within != nil && e.Callee == nil:
		return false
	case e.Callee == nil:
		return !passes
	case e.Callee.Foreign:
		return true
	}
	if e.Within == nil && e.Callee.Accesses[e.Index].Loc.IsParam() {
		return true // the callee has no name for what it writes
	}
	return e.Within == nil && e.Writes() && e.Callee.Accesses[e.Index].Traits.Has(fact.Passed) && p.setters()[e.Callee] && !passes
}

// findSetters returns the summaries of the setters all of whose calls are known, and
// accounted for by the callers.
func (p *Guards) findSetters() map[*fact.FuncSummary]bool {
	out := make(map[*fact.FuncSummary]bool)
	for _, f := range p.Funcs {
		if f.State == funcsum.Built && slices.ContainsFunc(f.Sum.Accesses, func(a fact.Access) bool { return a.Traits.Has(fact.Passed) }) {
			out[f.Sum] = p.OnlyCalled(f, func(caller *process.Func, at ssa.Instruction) bool {
				return slices.ContainsFunc(caller.Events, func(e *funcsum.Event) bool { return e.Instr == at && e.Callee == f.Sum && e.Within == nil })
			})
		}
	}
	return out
}
