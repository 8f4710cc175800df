package callgraph

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// A parameter under construction is one for which all calls pass a new object that nobody else has a
// reference to yet. What the function stores in its fields belongs to the construction of the object,
// as if the caller did it:
//
//	func New() *Pool { p := &Pool{}; p.init(); return p }
//
//	next := s.current.Load().clone()
//	s.install(next) // sets next.seq, and publishes next
//
// A function that others can call with other objects has no such parameters.

// A callSite is a static call of a function of the package.
type callSite struct {
	caller *Node
	call   ssa.CallInstruction
	kind   fact.CallKind
}

// A construction decides which parameters are under construction, by the greatest fixpoint over the calls.
type construction struct {
	*scanner
	sites map[FuncID][]callSite
	// under are the parameters that are asked for, in the order of needed, and whether they are under construction.
	needed []*ssa.Parameter
	under  map[*ssa.Parameter]bool
	// leaks are the parameters that functions may leave where others find them.
	leaks map[*ssa.Parameter]bool
}

// markGiven records the writes of fields of parameters, and of new objects, after all calls have been scanned.
func (p *scanner) markGiven() {
	if len(p.given)+len(p.filled) == 0 {
		return
	}
	c := construction{scanner: p, sites: make(map[FuncID][]callSite), under: make(map[*ssa.Parameter]bool), leaks: make(map[*ssa.Parameter]bool)}
	for _, f := range p.Funcs {
		if f.Forwards() && !f.Exported() {
			continue // who calls it calls what it calls
		}
		for _, call := range f.Calls {
			c.sites[call.Callee] = append(c.sites[call.Callee], callSite{f, call.Instr, call.Kind})
		}
	}
	for _, f := range p.Funcs {
		for _, prm := range f.Fn.Params {
			if len(p.given[prm]) > 0 {
				c.need(prm)
			}
		}
	}
	if slices.ContainsFunc(c.needed, func(prm *ssa.Parameter) bool { return c.under[prm] }) {
		c.leaks[nil] = true // what no function of the package has is left anywhere
		c.spread(c.leaks, publishes)
		c.solve()
	}
	for prm, fields := range p.given {
		if !c.under[prm] {
			for _, v := range fields {
				p.written[v] = true
			}
		}
	}
	c.markLate()
}

// need assumes that a parameter is under construction, and those that are passed for it, unless other packages or unknown
// callers may pass anything.
func (c *construction) need(prm *ssa.Parameter) {
	if _, known := c.under[prm]; known {
		return
	}
	f := c.ByFn[prm.Parent()]
	c.under[prm] = f != nil && !f.Exported() && !f.Named && f.Fn.Parent() == nil && len(c.sites[f.ID]) > 0
	c.needed = append(c.needed, prm)
	if !c.under[prm] {
		return
	}
	i := slices.Index(f.Fn.Params, prm)
	for _, s := range c.sites[f.ID] {
		if call, ok := s.call.(*ssa.Call); ok && i < len(call.Call.Args) {
			if passed, ok := call.Call.Args[i].(*ssa.Parameter); ok {
				c.need(passed)
			}
		}
	}
}

// solve drops the parameters for which some call does not pass a new object.
func (c *construction) solve() {
	for changed := true; changed; {
		changed = false
		for _, prm := range c.needed {
			if c.under[prm] && !c.allPassNew(prm) {
				c.under[prm], changed = false, true
			}
		}
	}
}

// allPassNew reports whether all calls of the function pass a new object for a parameter.
func (c *construction) allPassNew(prm *ssa.Parameter) bool {
	f := c.ByFn[prm.Parent()]
	i := slices.Index(f.Fn.Params, prm)
	return !slices.ContainsFunc(c.sites[f.ID], func(s callSite) bool {
		call, ok := s.call.(*ssa.Call)
		return !ok || s.kind != fact.Called || call.Call.StaticCallee() == nil || i >= len(call.Call.Args) || !c.isNew(s.caller, call.Call.Args[i], call)
	})
}

// isNew reports whether v is a new object that nobody else has a reference to before the call.
func (c *construction) isNew(caller *Node, v ssa.Value, call *ssa.Call) bool {
	if prm, ok := v.(*ssa.Parameter); ok {
		if !c.under[prm] {
			return false
		}
	} else if !c.isMade(v) {
		return false
	}
	made, _ := v.(ssa.Instruction) // in a loop, the next round makes another one
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		return use != call && (publishes(use, v) || slices.ContainsFunc(c.passedFor(use, v), func(prm *ssa.Parameter) bool { return c.leaks[prm] })) &&
			caller.Paths().Exists(cfgpath.Way{From: use, To: call, Avoid: made})
	})
}

// passedFor returns the parameters for which a call passes v: nil for one of a function that is not of the package.
func (c *construction) passedFor(use ssa.Instruction, v ssa.Value) []*ssa.Parameter {
	call, ok := use.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return nil
	}
	g := c.source(call.Call.StaticCallee())
	out := []*ssa.Parameter{}
	for i, a := range call.Call.Args {
		if a != v {
			continue
		}
		if g == nil || i >= len(g.Fn.Params) {
			return []*ssa.Parameter{nil}
		}
		out = append(out, g.Fn.Params[i])
	}
	return out
}

// spread completes a set of parameters by those of which an instruction of the given kind leaves a reference somewhere, in the
// function or in a callee: the least fixpoint.
func (c *construction) spread(set map[*ssa.Parameter]bool, leaves func(use ssa.Instruction, v ssa.Value) bool) {
	passes := make(map[*ssa.Parameter][]*ssa.Parameter) // by what is passed on
	work := slices.Collect(maps.Keys(set))
	for _, f := range c.Funcs {
		for _, prm := range f.Fn.Params {
			for _, use := range *prm.Referrers() {
				if leaves(use, prm) {
					if !set[prm] {
						set[prm] = true
						work = append(work, prm)
					}
					break
				}
				for _, to := range c.passedFor(use, prm) {
					passes[to] = append(passes[to], prm)
				}
			}
		}
	}
	for len(work) > 0 {
		prm := work[len(work)-1]
		work = work[:len(work)-1]
		for _, from := range passes[prm] {
			if !set[from] {
				set[from] = true
				work = append(work, from)
			}
		}
	}
}
