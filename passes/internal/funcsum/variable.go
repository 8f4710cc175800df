package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A local variable is shared memory if a function literal that captures it leaves the
// function: it is started as a goroutine, or kept for later. Such a variable, and the lock
// beside it, are locations like fields, of the run of the function instead of an object.
//
//	var mu sync.Mutex
//	seen := make(map[string]bool)
//	for _, u := range urls {
//		g.Go(func() error {
//			mu.Lock(); again := seen[u]; mu.Unlock()
//			…
//			mu.Lock(); seen[u] = true; mu.Unlock()
//		})
//	}
//
// The function that declares the variable uses it without the lock before it starts the
// goroutines and after they have ended; only what it does under a lock counts.

// variable returns the location of the variable at addr, "" if it is not shared.
func (p *Summaries) variable(addr ssa.Value) accesspath.Location {
	v := ssautil.VariableAt(addr)
	if v == nil || v.Comment == "" || !p.leaves(v) {
		return ""
	}
	l := accesspath.VariableLocation(v)
	if l != "" && p.variables[l] == nil {
		p.variables[l] = v
	}
	return l
}

// leaves reports whether a literal that captures v leaves the function, and v changes: it is
// written by a literal, or refers to a container or to a channel that is closed.
func (p *Summaries) leaves(v *ssa.Alloc) bool {
	if known, ok := p.leaving[v]; ok {
		return known
	}
	p.leaving[v] = false
	if depgraph.IsContainer(ssautil.Deref(v.Type())) && v.Heap || accesspath.IsReassigned(v) || isOwnSignal(v) {
		p.leaving[v] = slices.ContainsFunc(ssautil.ClosuresOf(v), p.closureEscapes)
	}
	return p.leaving[v]
}

// RunsTwice reports whether two runs of f may share the variable at location l: a literal
// that f is, or is in, is started several times for one variable, or kept for later.
func (p *Summaries) RunsTwice(f *Body, l accesspath.Location) bool {
	v := p.variables[l]
	return v == nil || p.sharedByRuns(f.Fn, v, make(map[*ssa.Function]bool))
}

// sharedByRuns is RunsTwice for fn and the variable v. It is not asked again for the literals
// that are being looked at.
func (p *Summaries) sharedByRuns(fn *ssa.Function, v *ssa.Alloc, seen map[*ssa.Function]bool) bool {
	for ; fn != nil && fn != v.Parent() && !seen[fn]; fn = fn.Parent() {
		seen[fn] = true
		mc := ssautil.ClosureOf(fn)
		if mc == nil || p.runsTwice(mc, v, seen) {
			return true
		}
	}
	return fn == nil
}

// runsTwice reports whether the uses of a closure run it twice at a time for the variable v: by
// several goroutines, or kept for later.
func (p *Summaries) runsTwice(mc *ssa.MakeClosure, v *ssa.Alloc, seen map[*ssa.Function]bool) bool {
	uses, ok := p.usesOf(mc)
	if !ok {
		return true
	}
	goroutines := make(map[any]bool) // go statements, and functions that call the closure
	for _, c := range uses {
		_, spawns := c.(*ssa.Go)
		if given := slices.Contains(c.Common().Args, ssa.Value(mc)); given {
			if spawns = true; !p.startsOnce(c, mc) {
				return true
			}
		}
		if spawns && p.isRepeated(c, v) || c.Parent() != mc.Parent() && p.sharedByRuns(c.Parent(), v, seen) {
			return true
		}
		if spawns {
			goroutines[c] = true
		} else {
			goroutines[c.Parent()] = true
		}
	}
	return len(goroutines) > 1
}

// usesOf returns the calls of a closure, and those that it is an argument of. The calls of a local
// variable whose only value it is are among them. It returns false if there are other uses.
func (p *Summaries) usesOf(mc *ssa.MakeClosure) ([]ssa.CallInstruction, bool) {
	var calls []ssa.CallInstruction
	for _, use := range *mc.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			calls = append(calls, use)
		case *ssa.Store:
			v, ok := use.Addr.(*ssa.Alloc)
			if !ok || ssautil.SoleStore(v) != use {
				return nil, false
			}
			through, ok := ssautil.CallsOf(v)
			if !ok {
				return nil, false
			}
			calls = append(calls, through...)
		default:
			return nil, false
		}
	}
	return calls, true
}

// isRepeated reports whether a go statement may be executed again for the same variable v.
func (p *Summaries) isRepeated(c ssa.CallInstruction, v *ssa.Alloc) bool {
	g := p.ByFn[c.Parent()]
	return g == nil || g.Paths().Reaches(c, c) && (g.Fn != v.Parent() || !g.Paths().MustPass(c, v, c))
}

// startsOnce reports whether a call with the closure as argument only calls it, or starts one
// goroutine that does.
func (p *Summaries) startsOnce(c ssa.CallInstruction, mc *ssa.MakeClosure) bool {
	g := p.ByFn[c.Parent()]
	if p.GivesToWorkers(g, c, p.ByFn[mc.Fn.(*ssa.Function)]) {
		return false
	}
	if p.ArgumentKind(c) == fact.Spawned {
		return true
	}
	for _, cal := range p.Callees(p.of(g), c.Common()) {
		if sum := p.SummaryOf(cal); sum != nil && slices.ContainsFunc(sum.Calls, func(pc fact.ParamCall) bool {
			return pc.Kind == fact.Spawned && pc.Param < len(cal.Args) && cal.Args[pc.Param] == ssa.Value(mc)
		}) {
			return true
		}
	}
	return false
}

// isPlainLoad reports whether the load of a variable only gives the container in it, which
// the variable always has, to an access to one of its elements. What else is done with the
// container reads what is in it:
//
//	batch := maps.Clone(totals)
//	if len(totals) > limit { … }
func isPlainLoad(l *ssa.UnOp) bool {
	v := ssautil.VariableAt(l.X)
	if v == nil || accesspath.IsReassigned(v) || !depgraph.IsContainer(l.Type()) {
		return false
	}
	return !slices.ContainsFunc(ssautil.Uses(l), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.Lookup, *ssa.MapUpdate, *ssa.Range, *ssa.IndexAddr, *ssa.Index, *ssa.DebugRef:
			return false
		case *ssa.Call:
			return !isDelete(&use.Call)
		}
		return true
	})
}

// isDelete reports whether a call deletes elements of a map.
func isDelete(c *ssa.CallCommon) bool {
	b := ssautil.Builtin(c)
	return b == "delete" || b == "clear"
}

// GivesToWorkers reports whether a call in g has the function given as an argument, and its callee
// starts goroutines in a loop, each of which may run it.
//
//	for range workers { go func() { for x := range queue { f(x) } }() }
func (p *Summaries) GivesToWorkers(g *callgraph.Node, c ssa.CallInstruction, given *callgraph.Node) bool {
	if _, isGo := c.(*ssa.Go); isGo {
		return false
	}
	return slices.ContainsFunc(p.Callees(p.of(g), c.Common()), func(cal callgraph.Callee) bool {
		return cal.Fn != nil && cal.Fn != given && startsInLoop(cal.Fn)
	})
}

// startsInLoop reports whether f starts goroutines in a loop.
func startsInLoop(f *callgraph.Node) bool {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if StartsAtOnce(instr) && f.Paths().Reaches(instr, instr) {
				return true
			}
		}
	}
	return false
}
