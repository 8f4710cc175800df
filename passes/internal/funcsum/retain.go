package funcsum

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A callee that stores its argument publishes it, if the memory that it stores it in is shared:
//
//	func (t *Table) add(c *conn) { t.mu.Lock(); t.conns = append(t.conns, c); t.mu.Unlock() }
//
//	c := &conn{}
//	s.table.add(c) // publishes c
//	newTable().add(c) // does not, as long as the table is not published itself
//
// That is a may-analysis of the uses of a value, forward through copies, containers and calls of
// this package. Of a function of another package it is known whether it changes its receiver: if
// so, it may store its other arguments there. An interface call of unknown type stores nothing.

// retains returns where f may store its parameter i. What a function hands to itself as the same
// parameter adds nothing; in a longer cycle of calls it may be stored anywhere.
func (p *Summaries) retains(f *callgraph.Node, i int) retention {
	k := retained{f, i}
	if n := len(p.retaining); n > 0 && p.retaining[n-1] == k {
		return retention{}
	}
	if known, ok := p.retentions[k]; ok {
		return known
	}
	var to retention
	if i < len(f.Fn.Params) && ssautil.IsReference(f.Fn.Params[i].Type()) {
		p.retentions[k] = retention{shared: true} // for those that call f in turn
		p.retaining = append(p.retaining, k)
		r := retainer{p: p, f: f, seen: make(map[ssa.Value]bool)}
		r.follow(f.Fn.Params[i])
		p.retaining = p.retaining[:len(p.retaining)-1]
		to = r.to
	}
	p.retentions[k] = to
	return to
}

// A retainer follows a reference in a function.
type retainer struct {
	p    *Summaries
	f    *callgraph.Node
	to   retention
	seen map[ssa.Value]bool
}

func (r *retainer) follow(v ssa.Value) {
	if r.to.shared || r.seen[v] {
		return
	}
	r.seen[v] = true
	for _, use := range ssautil.Uses(v) {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Val == v {
				r.store(use.Addr)
			}
		case *ssa.MapUpdate:
			if use.Value == v || use.Key == v {
				r.store(use.Map)
			}
		case *ssa.Send:
			r.to.shared = r.to.shared || use.X == v
		case *ssa.Go:
			r.to.shared = true
		case *ssa.MakeClosure:
			r.to.shared = r.to.shared || r.p.closureEscapes(use)
		case ssa.CallInstruction:
			r.call(use, v)
		case *ssa.UnOp:
			if _, isVariable := v.(*ssa.Alloc); isVariable && use.Op == token.MUL && ssautil.IsReference(use.Type()) {
				r.follow(use)
			}
		case *ssa.Phi, *ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.TypeAssert, *ssa.Slice:
			r.follow(use.(ssa.Value))
		}
	}
}

// store notes that the reference is stored in the memory at addr. If an object of the function
// receives it, that object is followed.
func (r *retainer) store(addr ssa.Value) {
	switch at := origin(addr).(type) {
	case *ssa.Parameter:
		for i, prm := range r.f.Fn.Params {
			if prm == at && i < fact.MaxParams {
				r.to.within |= 1 << i
				return
			}
		}
		r.to.shared = true
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
		r.follow(at)
	default:
		r.to.shared = true
	}
}

// call notes where a callee stores the reference.
func (r *retainer) call(c ssa.CallInstruction, v ssa.Value) {
	common := c.Common()
	if name := ssautil.Builtin(common); name != "" {
		if result := c.Value(); name == "append" && result != nil {
			r.follow(result)
		}
		return
	}
	r.p.eachRetention(r.f, common, v, func(to ssa.Value) {
		if to == nil {
			r.to.shared = true
		} else {
			r.store(to)
		}
	})
}

// eachRetention calls store for each place in which a callee of c may store the argument v: with
// the argument in whose memory that is, or nil for shared memory.
func (p *Summaries) eachRetention(f *callgraph.Node, c *ssa.CallCommon, v ssa.Value, store func(to ssa.Value)) {
	for _, callee := range p.Resolve(f, c) {
		for i, arg := range callee.Args {
			if arg != v || i >= fact.MaxParams {
				continue
			}
			to := p.retention(callee, i)
			if to.shared {
				store(nil)
			}
			for j, other := range callee.Args {
				if j != i && j < fact.MaxParams && to.within&(1<<j) != 0 {
					store(other)
				}
			}
		}
	}
}

// retention returns where a callee may store its argument i.
func (p *Summaries) retention(callee callgraph.Callee, i int) retention {
	switch {
	case callee.Fn != nil:
		return p.retains(callee.Fn, i)
	case i == 0 || callee.Obj == nil || callee.Obj.Signature().Recv() == nil:
		return retention{}
	case isStoredBy(callee.Obj, i) || callee.Sum != nil && callee.Sum.Mutates&1 != 0:
		return retention{within: 1}
	}
	return retention{}
}

// isStoredBy reports whether an operation of sync or sync/atomic stores its argument i.
func isStoredBy(obj *types.Func, i int) bool {
	a := stdlib.OfFunc(obj).Access
	return a&stdlib.Writes != 0 && a&stdlib.Deletes == 0 && !(a&stdlib.Keyed != 0 && i == 1)
}
