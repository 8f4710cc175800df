package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Takings returns the acquisitions in f and its callees, in the order of the instructions.
// Deferred calls are left out: no access follows them.
func (f *Body) Takings() []Taking { return f.takings }

// takingsOf computes Takings.
func (p *Summaries) takingsOf(f *Body) []Taking {
	var out []Taking
	ord := -1
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			ord++
			c, isCall := instr.(ssa.CallInstruction)
			switch instr.(type) {
			case *ssa.Go, *ssa.Defer:
				continue
			}
			for _, op := range f.ops[instr] {
				if op.Kind == lockset.Acquire && op.Guard.Path != accesspath.Unknown {
					out = append(out, Taking{fact.Acquisition{Guard: op.Guard, Pos: p.Pos(ssautil.Pos(instr))}, instr, ord, false, op.May})
				}
			}
			if isCall {
				out = p.innerTakings(f, c, ord, out)
			}
		}
	}
	return out
}

// innerTakings adds the locks that the callees of a call acquire and release.
func (p *Summaries) innerTakings(f *Body, instr ssa.CallInstruction, ord int, out []Taking) []Taking {
	c := instr.Common()
	if ssautil.Builtin(c) != "" {
		return out
	}
	add := func(callee callgraph.Callee, s *fact.FuncSummary) {
		for _, a := range s.Acquires {
			a.Guard = p.TranslateGuard(f, callee, a.Guard)
			if a.Path == accesspath.Unknown || a.Path.HasAny() {
				continue
			}
			if callee.Fn == nil {
				a.Pos.Pos = instr.Pos()
			}
			if !slices.ContainsFunc(out, func(t Taking) bool { return t.Ord == ord && t.Path == a.Path && t.Mode == a.Mode }) {
				out = append(out, Taking{a, instr, ord, true, callee.May})
			}
		}
	}
	for _, callee := range p.Callees(f, c) {
		s := p.SummaryOf(callee)
		if s == nil {
			continue
		}
		add(callee, s)
		for _, pc := range s.Calls {
			if pc.Kind != fact.Called {
				continue
			}
			for _, lit := range p.Argument(f.Node, callee, pc.Param) {
				if ls := p.SummaryOf(lit); ls != nil {
					add(lit, ls)
				}
			}
		}
	}
	return out
}

// acquires returns the acquisitions of the summary of f: locks that the callers can name
// and that are not held at the return.
func (f *Body) acquires(effects []lockset.Op) []fact.Acquisition {
	var out []fact.Acquisition
	for _, t := range f.takings {
		open := slices.ContainsFunc(effects, func(op lockset.Op) bool { return op.Kind == lockset.Acquire && op.Guard.Path == t.Path })
		known := slices.ContainsFunc(out, func(a fact.Acquisition) bool { return a.Path == t.Path && a.Mode == t.Mode })
		if open || f.Flow.Gives(t.Path) || known || t.Path.IsLocal() {
			continue
		}
		if len(out) >= fact.MaxAcquisitions {
			f.in.Limits.Add(callgraph.Name(f.Fn), "Acquisitions")
			break
		}
		out = append(out, t.Acquisition)
	}
	return out
}
