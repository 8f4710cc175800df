package funcsum

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// change returns the trait that says how a write which f itself makes changes the value, or 0.
func change(e *Event) fact.Traits {
	switch {
	case len(e.Inputs) == 0:
		return 0
	case e.Reads() && len(e.Added) == 1:
		return sign(e.Added[0])
	}
	switch in := e.Inputs[0].(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.MakeClosure, *ssa.MakeInterface:
		return fact.Filling
	case *ssa.BinOp:
		switch {
		case !e.Delta():
		case in.Op == token.ADD && len(e.Added) == 1:
			return sign(e.Added[0])
		case in.Op == token.SUB && sign(in.Y) == fact.Raising:
			return fact.Lowering
		}
	case *ssa.Call:
		if ssautil.IsAppend(in) && len(e.Added) > 0 {
			return fact.Raising
		}
	}
	return 0
}

// sign returns the trait of a write that adds v, or 0.
func sign(v ssa.Value) fact.Traits {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil || v.Value.Kind() != constant.Int {
			return 0
		}
		switch {
		case constant.Sign(v.Value) < 0 || wraps(v):
			return fact.Lowering
		case constant.Sign(v.Value) > 0:
			return fact.Raising
		}
	case *ssa.Call:
		if b := ssautil.Builtin(&v.Call); b == "len" || b == "cap" {
			return fact.Raising // lengths are not negative
		}
	}
	return 0
}

// wraps reports whether an unsigned constant is the complement of a smaller one, by whose
// addition that is subtracted:
//
//	atomic.AddUint32(&n, ^uint32(0))
//
// The types whose size depends on the platform have at least 32 bits.
func wraps(c *ssa.Const) bool {
	basic, ok := c.Type().Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsUnsigned == 0 {
		return false
	}
	bits := map[types.BasicKind]uint{types.Uint8: 8, types.Uint16: 16, types.Uint64: 64}[basic.Kind()]
	if bits == 0 {
		bits = 32
	}
	half := constant.Shift(constant.MakeInt64(1), token.SHL, bits-1)
	return constant.Compare(c.Value, token.GEQ, half)
}

// Writer returns e as a writer of its location, without the guards.
func (f *Body) Writer(e *Event) fact.Writer {
	pos := e.Pos
	if pos.Text == "" { // of many accesses in callees that were merged
		pos.Text = f.in.Pos(pos.Pos).Text
	}
	return fact.Writer{
		Func: callgraph.Name(f.Fn), Pos: pos,
		Part: e.Key != "" && e.Op&fact.Content == 0 && !e.OnReferent() && !f.fillsNew(e), Effect: e.Effect(), Const: e.Const,
		Fn: f.ID, Loc: e.Loc,
	}
}

// fillsNew reports whether e writes to an element of a container that f has made, and put into the
// location, in the same critical section. What others have taken from there before stays as it is.
//
//	s.mu.Lock()
//	s.deps = make([]*Dep, len(deps))
//	copy(s.deps, deps)
//	s.mu.Unlock()
func (f *Body) fillsNew(e *Event) bool {
	return slices.ContainsFunc(f.Events, func(s *Event) bool {
		if s.Callee != nil || !s.Writes() || s.Key != "" || s.Loc != e.Loc || !accesspath.Same(s.Base, e.Base) || len(s.Inputs) != 1 || !SharePassage(s, e) {
			return false
		}
		switch s.Inputs[0].(type) {
		case *ssa.MakeMap, *ssa.MakeSlice, *ssa.Slice, *ssa.Alloc:
		default:
			return false
		}
		return f.Res.Resolve(s.Inputs[0]).Path.IsFresh() && ssautil.Precedes(s.Instr, e.Instr)
	})
}
