package stalevalue

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// An amount is a number that others add to, as they add elements to a container. A function that passes the value on, and
// stores zero in a later section, loses the updates in between (see drains).
//
//	n := s.sent.Load()
//	if err := s.report(n); err == nil { s.sent.Store(0) } // not s.sent.Add(-n)

// readsAmount reports whether the read is of an amount, and the act is control dependent on no other comparison of it
// than with zero.
func (p *pair) readsAmount() bool {
	if !p.isAmount() || !p.sameCell() && !p.readsAll() && !p.goesThroughAgain() {
		return false
	}
	for _, br := range p.d.f.Branches(p.act) {
		if !isComputedOf(br.Cond, p.read.Values, make(map[ssa.Value]bool)) {
			continue
		}
		if f, ok := p.factOf(br.Cond, true); !ok || f.to != "0" {
			return false
		}
	}
	return true
}

// isComputedOf reports whether v is one of the values, or an operator has computed it of one of them.
func isComputedOf(v ssa.Value, values []ssa.Value, seen map[ssa.Value]bool) bool {
	if slices.Contains(values, v) {
		return true
	}
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.BinOp:
		return isComputedOf(v.X, values, seen) || isComputedOf(v.Y, values, seen)
	case *ssa.UnOp:
		return v.Op != token.MUL && isComputedOf(v.X, values, seen)
	case *ssa.Convert:
		return isComputedOf(v.X, values, seen)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return isComputedOf(e, values, seen) })
	}
	return false
}

// readsAll reports whether all elements of a container are read, of which the act changes one, or all.
//
//	s.counts.Range(func(k, n any) bool { out[k.(string)] = n.(*atomic.Int64).Load(); return true })
func (p *pair) readsAll() bool {
	r, w := p.read, p.act
	return r.Loc == w.Loc && accesspath.Same(r.Base, w.Base) && r.Key == accesspath.AnyKey && w.Key != ""
}

// goesThroughAgain reports whether the read is of the objects in a list, and the act on the objects in the same one, or in
// another one in which they have been collected.
//
//	for _, m := range meters { batch = append(batch, m.n.Load()); from = append(from, m) }
//	s.send(batch)
//	for _, m := range from { m.n.Store(0) }
func (p *pair) goesThroughAgain() bool {
	r, w := p.read, p.act
	one, two := r.Base.Root(), w.Base.Root()
	if r.Loc != w.Loc || r.Key != "" || w.Key != "" || !r.Base.IsLocal() || !w.Base.IsLocal() || r.Base == one || w.Base == two {
		return false
	}
	list := p.d.f.Res.Definition(two)
	return one == two || list != nil && slices.ContainsFunc(p.d.f.Slice(list), func(v ssa.Value) bool {
		return ssautil.IsPointer(v) && p.d.f.Res.Resolve(v).Path == r.Base
	})
}

// isAmount reports whether the act stores zero, and the value read is the number itself, or a list or struct in which a callee
// has collected such numbers. The result of a computation is no amount:
//
//	wait := s.backoff() // time.Second << s.retries
func (p *pair) isAmount() bool {
	return p.act.Const == "0" && slices.ContainsFunc(p.read.Values, func(v ssa.Value) bool {
		if ssautil.IsNumber(v.Type()) {
			return (p.read.Callee == nil || p.d.f.Res.Resolve(v).Path == p.read.Path) && isHandedOn(v, make(map[ssa.Value]bool))
		}
		_, several := v.Type().Underlying().(*types.Struct)
		return p.read.Callee != nil && (several || depgraph.IsContainer(v.Type())) && isHandedOn(v, make(map[ssa.Value]bool))
	})
}

// resetsTogether reports whether the section of the act also resets what the number goes with: what others have added
// goes with it.
//
//	s.mu.Lock(); clear(s.m); s.bytes = 0; s.mu.Unlock()
func (p *pair) resetsTogether() bool {
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && p.info.IsJoint(e.Loc) && accesspath.Same(e.Base, p.act.Base) && (e.Ord == p.act.Ord || p.d.oneSection(e, p.act))
	})
}

// isHandedOn reports whether a number, or an object that it is a part of, is sent, stored, returned, or an argument of a
// call that has no result or an error. The result of another call is a computation:
//
//	wait := backoff(s.retries)
func isHandedOn(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.Convert, *ssa.ChangeType, *ssa.MakeInterface, *ssa.Phi, *ssa.Slice:
			return isHandedOn(use.(ssa.Value), seen)
		case *ssa.UnOp:
			return use.Op == token.MUL && isHandedOn(use, seen)
		case *ssa.Store:
			return use.Val == v && isPutInto(use.Addr, seen)
		case *ssa.MapUpdate, *ssa.Send, *ssa.Return:
			return true
		case ssa.CallInstruction:
			return isTakenBy(use, seen)
		}
		return false
	})
}

// isPutInto is isHandedOn for what the place at an address is a part of.
func isPutInto(addr ssa.Value, seen map[ssa.Value]bool) bool {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return isPutInto(addr.X, seen)
	case *ssa.IndexAddr:
		return isPutInto(addr.X, seen)
	case *ssa.Alloc:
		return isHandedOn(addr, seen)
	}
	return true
}

// isTakenBy is isHandedOn for an argument of a call.
func isTakenBy(call ssa.CallInstruction, seen map[ssa.Value]bool) bool {
	if b := ssautil.Builtin(call.Common()); b != "" {
		return b == "append" && isHandedOn(call.Value(), seen)
	}
	results := call.Common().Signature().Results()
	if n := results.Len(); n > 0 {
		return ssautil.IsError(results.At(n - 1).Type())
	}
	return !summary.IsText(call.Common())
}

// addsAmount reports whether the rival changes a number by some amount.
func (r rival) addsAmount() bool {
	_, w := r.d.pkg.WriteOf(r.writer)
	return w != nil && w.Delta() && r.candidate.isAmount() && !r.candidate.resetsTogether()
}
