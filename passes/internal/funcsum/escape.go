package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// closureEscapes reports whether a literal has a use other than a call, a defer, an
// argument of a callee that only calls it, or a store in a local variable. If a literal that
// escapes captures that variable, the first one escapes with it.
//
//	add := func(d int) { mu.Lock(); n += d; mu.Unlock() }
//	go func() { add(1) }()
func (p *Summaries) closureEscapes(mc *ssa.MakeClosure) bool {
	return p.escapes(mc, make(map[*ssa.MakeClosure]bool))
}

// escapes is closureEscapes for a literal that is not among those that are being looked at.
func (p *Summaries) escapes(mc *ssa.MakeClosure, seen map[*ssa.MakeClosure]bool) bool {
	if seen[mc] {
		return false
	}
	seen[mc] = true
	for _, use := range *mc.Referrers() {
		switch use := use.(type) {
		case *ssa.Go:
			return true
		case ssa.CallInstruction:
			if use.Common().Value != mc && p.keeps(use, mc) {
				return true
			}
		case *ssa.DebugRef:
		case *ssa.Store:
			if !depgraph.IsVariable(use.Addr) || slices.ContainsFunc(ssautil.ClosuresOf(use.Addr), func(c *ssa.MakeClosure) bool { return p.escapes(c, seen) }) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// keeps reports whether a call spawns or stores the literal that is an argument of it.
func (p *Summaries) keeps(c ssa.CallInstruction, mc *ssa.MakeClosure) bool {
	if p.ArgumentKind(c) != fact.Called {
		return true
	}
	f := p.ByFn[mc.Parent()]
	if f == nil {
		return false
	}
	for _, cal := range p.Callees(p.of(f), c.Common()) {
		if sum := p.SummaryOf(cal); sum != nil && slices.ContainsFunc(sum.Calls, func(pc fact.ParamCall) bool {
			return pc.Kind != fact.Called && pc.Param < len(cal.Args) && cal.Args[pc.Param] == ssa.Value(mc)
		}) {
			return true
		}
	}
	return false
}
