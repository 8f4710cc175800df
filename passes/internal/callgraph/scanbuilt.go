package callgraph

import (
	"slices"

	"golang.org/x/tools/go/ssa"

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

// A construction decides which parameters are under construction.
type construction struct {
	*scanner
	sites map[FuncID][]callSite
	// under and leaks cache the answers. An answer that is asked for while it is computed is yes for
	// under, and no for leaks: the greatest fixpoint.
	under, leaks map[*ssa.Parameter]bool
}

// markGiven records the writes of fields of parameters, after all calls have been scanned.
func (p *scanner) markGiven() {
	if len(p.given) == 0 {
		return
	}
	c := construction{p, make(map[FuncID][]callSite), make(map[*ssa.Parameter]bool), make(map[*ssa.Parameter]bool)}
	for _, f := range p.Funcs {
		for _, call := range f.Calls {
			c.sites[call.Callee] = append(c.sites[call.Callee], callSite{f, call.Instr, call.Kind})
		}
	}
	for prm, fields := range p.given {
		if c.isUnderConstruction(prm) {
			continue
		}
		for _, v := range fields {
			p.written[v] = true
		}
	}
}

func (c *construction) isUnderConstruction(prm *ssa.Parameter) bool {
	known, ok := c.under[prm]
	if !ok {
		c.under[prm] = true
		known = c.allPassNew(prm)
		c.under[prm] = known
	}
	return known
}

// allPassNew reports whether all calls of the function pass a new object for a parameter.
func (c *construction) allPassNew(prm *ssa.Parameter) bool {
	f := c.ByFn[prm.Parent()]
	if f == nil || f.Exported() || f.Named || f.Fn.Parent() != nil || len(c.sites[f.ID]) == 0 {
		return false
	}
	i := slices.Index(f.Fn.Params, prm)
	return !slices.ContainsFunc(c.sites[f.ID], func(s callSite) bool {
		call, ok := s.call.(*ssa.Call)
		return !ok || s.kind != fact.Called || call.Call.StaticCallee() == nil || i >= len(call.Call.Args) || !c.isNew(s.caller, call.Call.Args[i], call)
	})
}

// isNew reports whether v is a new object that nobody else has a reference to before the call.
func (c *construction) isNew(caller *Node, v ssa.Value, call *ssa.Call) bool {
	if prm, ok := v.(*ssa.Parameter); ok {
		if !c.isUnderConstruction(prm) {
			return false
		}
	} else if !c.isMade(v) {
		return false
	}
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		return use != call && c.publishes(use, v) && caller.Paths().Reaches(use, call)
	})
}

// publishes reports whether an instruction may leave a reference to v where others find it.
func (c *construction) publishes(use ssa.Instruction, v ssa.Value) bool {
	switch use := use.(type) {
	case *ssa.FieldAddr, *ssa.DebugRef, *ssa.BinOp, *ssa.UnOp, *ssa.Return, *ssa.IndexAddr:
		return false
	case *ssa.Store:
		return use.Addr != v
	case *ssa.Call:
		callee := use.Call.StaticCallee()
		if callee == nil || c.source(callee) == nil {
			return true
		}
		params := c.source(callee).Fn.Params
		return use.Call.Value == v || slices.ContainsFunc(use.Call.Args, func(a ssa.Value) bool {
			i := slices.Index(use.Call.Args, a)
			return a == v && (i >= len(params) || c.isLeaked(params[i]))
		})
	}
	return true
}

// isLeaked reports whether a function may leave a reference to its parameter where others find it.
func (c *construction) isLeaked(prm *ssa.Parameter) bool {
	known, ok := c.leaks[prm]
	if !ok {
		c.leaks[prm] = false
		known = slices.ContainsFunc(*prm.Referrers(), func(use ssa.Instruction) bool { return c.publishes(use, prm) })
		c.leaks[prm] = known
	}
	return known
}
