package funcsum

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
)

// Publications returns, by root path, the ordinal of the instruction that publishes each
// new object of f: from there on other goroutines may have a reference to it.
func (p *Summaries) Publications(f *Body) map[accesspath.Path]int {
	if f.published != nil {
		return f.published
	}
	out := make(map[accesspath.Path]int)
	f.published = out
	ord := 0
	publish := func(v ssa.Value) {
		if !ssautil.IsReference(v.Type()) {
			return
		}
		if path := f.Res.Resolve(v).Path; path.IsFresh() {
			if _, ok := out[path.Root()]; !ok {
				out[path.Root()] = ord
			}
		}
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				// Most stored values are no references: they are skipped before paths are
				// resolved.
				if ssautil.IsReference(instr.Val.Type()) && !depgraph.IsVariable(instr.Addr) && !f.Res.Resolve(instr.Addr).Path.IsFresh() {
					publish(instr.Val)
				}
			case *ssa.MapUpdate:
				if ssautil.IsReference(instr.Value.Type()) && !f.Res.Resolve(instr.Map).Path.IsFresh() {
					publish(instr.Value)
				}
			case *ssa.Send:
				publish(instr.X)
			case *ssa.Go:
				for _, a := range instr.Call.Args {
					publish(a)
				}
				if mc, ok := instr.Call.Value.(*ssa.MakeClosure); ok {
					for _, b := range mc.Bindings {
						publish(b)
					}
				}
			case *ssa.MakeClosure:
				if p.closureEscapes(instr) {
					for _, b := range instr.Bindings {
						publish(b)
					}
				}
			}
			ord++
		}
	}
	return out
}

// freshBinding reports whether free variable i of a literal is bound to an object that is
// not yet published, and all calls of the literal precede the publication.
func (p *Summaries) freshBinding(f *Body, i int) bool {
	g := p.ByFn[f.Fn.Parent()]
	mc := ssautil.ClosureOf(f.Fn)
	if g == nil || mc == nil || p.closureEscapes(mc) || i >= len(mc.Bindings) {
		return false
	}
	parent := p.of(g)
	root := p.resolver(parent).Resolve(mc.Bindings[i]).Path.Root()
	if j, ok := index(root, 'f'); ok {
		return p.freshBinding(parent, j)
	}
	at, given := p.Publications(parent)[root]
	return root.IsFresh() && (!given || ssautil.Ordinal(mc) < at)
}

// closureEscapes reports whether a literal has a use other than a call, a defer, an
// argument of a callee that only calls it, or a store in a local variable.
func (p *Summaries) closureEscapes(mc *ssa.MakeClosure) bool {
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
			if !depgraph.IsVariable(use.Addr) {
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
