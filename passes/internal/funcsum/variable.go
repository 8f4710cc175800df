package funcsum

import (
	"go/types"
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
	v := variableAt(addr)
	if v == nil || v.Comment == "" || !p.leaves(v) {
		return ""
	}
	l := accesspath.VariableLocation(v)
	if l != "" && p.variables[l] == nil {
		p.variables[l] = v
	}
	return l
}

// variableAt returns the local variable at addr, which a literal may have captured, or nil.
func variableAt(addr ssa.Value) *ssa.Alloc {
	for {
		switch v := addr.(type) {
		case *ssa.Alloc:
			return v
		case *ssa.FreeVar:
			mc := ssautil.ClosureOf(v.Parent())
			i := slices.Index(v.Parent().FreeVars, v)
			if mc == nil || i < 0 || i >= len(mc.Bindings) {
				return nil
			}
			addr = mc.Bindings[i]
		default:
			return nil
		}
	}
}

// leaves reports whether a literal that captures v leaves the function, and v changes: it is
// written by a literal, or refers to a container.
func (p *Summaries) leaves(v *ssa.Alloc) bool {
	if known, ok := p.leaving[v]; ok {
		return known
	}
	p.leaving[v] = false
	if depgraph.IsContainer(ssautil.Deref(v.Type())) && v.Heap || accesspath.IsReassigned(v) {
		p.leaving[v] = slices.ContainsFunc(closuresOf(v), p.closureEscapes)
	}
	return p.leaving[v]
}

// closuresOf returns the closures that capture the variable at addr, those in literals
// included.
func closuresOf(addr ssa.Value) []*ssa.MakeClosure {
	var out []*ssa.MakeClosure
	for _, use := range *addr.Referrers() {
		mc, ok := use.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		out = append(out, mc)
		fn := mc.Fn.(*ssa.Function)
		for i, b := range mc.Bindings {
			if b == addr && i < len(fn.FreeVars) {
				out = append(out, closuresOf(fn.FreeVars[i])...)
			}
		}
	}
	return out
}

// RunsTwice reports whether two runs of f may share the variable at location l: a literal
// that f is, or is in, is started several times for one variable, or kept for later.
func (p *Summaries) RunsTwice(f *Body, l accesspath.Location) bool {
	v := p.variables[l]
	if v == nil {
		return true
	}
	fn := f.Fn
	for ; fn != nil && fn != v.Parent(); fn = fn.Parent() {
		mc := ssautil.ClosureOf(fn)
		g := p.ByFn[fn.Parent()]
		if mc == nil || g == nil || p.runsTwice(g, mc, v) {
			return true
		}
	}
	return fn == nil
}

// runsTwice is RunsTwice for the uses in g of a closure.
func (p *Summaries) runsTwice(g *callgraph.Node, mc *ssa.MakeClosure, v *ssa.Alloc) bool {
	again := func(at ssa.Instruction) bool {
		return g.Paths().Reaches(at, at) && (g.Fn != v.Parent() || !g.Paths().MustPass(at, v, at))
	}
	uses := 0
	for _, use := range *mc.Referrers() {
		if _, isDebug := use.(*ssa.DebugRef); isDebug {
			continue
		}
		c, isCall := use.(ssa.CallInstruction)
		if !isCall || again(c) || c.Common().Value != mc && !p.startsOnce(g, c, mc) {
			return true
		}
		uses++
	}
	return uses > 1
}

// startsOnce reports whether a call with the closure as argument only calls it, or starts one
// goroutine that does.
func (p *Summaries) startsOnce(g *callgraph.Node, c ssa.CallInstruction, mc *ssa.MakeClosure) bool {
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
// the variable always has. A call that is given the container reads what is in it:
//
//	batch := maps.Clone(totals)
func isPlainLoad(l *ssa.UnOp) bool {
	v := variableAt(l.X)
	if v == nil || accesspath.IsReassigned(v) || slices.ContainsFunc(ssautil.Uses(l), isCall) {
		return false
	}
	_, isMap := l.Type().Underlying().(*types.Map)
	return isMap || depgraph.IsContainer(l.Type())
}

func isCall(instr ssa.Instruction) bool {
	c, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	_, builtin := c.Common().Value.(*ssa.Builtin)
	return !builtin
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

// startsInLoop reports whether f has a go statement in a loop.
func startsInLoop(f *callgraph.Node) bool {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if _, ok := instr.(*ssa.Go); ok && f.Paths().Reaches(instr, instr) {
				return true
			}
		}
	}
	return false
}
