package handoff

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// passes reports whether the message may pass the tests of constants and types that decide about
// an act, also in the function that acts, if the receiver gives it the message:
//
//	switch m.kind { case add: …; case remove: … }
func (x *crossing) passes(w *funcsum.Event) bool { return x.passesIn(x.r, w, limit.HandoffCalls) }

func (x *crossing) passesIn(r *reception, w *funcsum.Event, calls int) bool {
	for _, br := range r.in.Branches(w) {
		if side := branch.Taken(br, w.Instr.Block()); side >= 0 && x.contradicts(r, br.Cond, side == 0) {
			return false
		}
	}
	call, ok := w.Instr.(*ssa.Call)
	if !ok || w.Callee == nil || w.Distant || calls == 0 {
		return true
	}
	for _, c := range x.p.Callees(r.in, &call.Call) {
		if c.Fn == nil || c.May {
			return true
		}
		g := x.p.Funcs[c.Fn.ID]
		inner := &reception{in: g}
		for i, a := range c.Args {
			if r.isCarrier(a) && i < len(g.Fn.Params) {
				inner.carry(g.Fn.Params[i])
			}
		}
		acts := func(e *funcsum.Event) bool {
			return e.Writes() && e.Loc == w.Loc && e.Op == w.Op && e.Pos.Text == w.Pos.Text
		}
		if len(inner.carriers) == 0 || !slices.ContainsFunc(g.Events, acts) || slices.ContainsFunc(g.Events, func(e *funcsum.Event) bool {
			return acts(e) && x.passesIn(inner, e, calls-1)
		}) {
			return true
		}
	}
	return false
}

// contradicts reports whether a condition of the receiver is known not to have a certain result
// for the message.
func (x *crossing) contradicts(r *reception, cond ssa.Value, holds bool) bool {
	switch cond := cond.(type) {
	case *ssa.BinOp:
		if cond.Op != token.EQL && cond.Op != token.NEQ {
			return false
		}
		field, c := r.fieldOf(cond.X), cond.Y
		if field == "" {
			field, c = r.fieldOf(cond.Y), cond.X
		}
		want, ok := c.(*ssa.Const)
		if !ok || field == "" {
			return false
		}
		whole := x.s.message(field).whole
		if want.IsNil() && isMade(whole) {
			return holds == (cond.Op == token.EQL)
		}
		got, ok := whole.(*ssa.Const)
		if want.IsNil() && ok && got.IsNil() {
			return holds != (cond.Op == token.EQL)
		}
		if !ok || got.IsNil() != want.IsNil() || got.Value == nil || want.Value == nil {
			return false
		}
		return constant.Compare(got.Value, token.EQL, want.Value) != (holds == (cond.Op == token.EQL))
	case *ssa.Extract:
		assert, ok := cond.Tuple.(*ssa.TypeAssert)
		return ok && cond.Index == 1 && r.isCarrier(assert.X) && holds && x.isOther(assert)
	}
	return false
}

// isMade reports whether a value is a new object, which is not nil.
func isMade(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.MakeClosure:
		return true
	}
	return false
}

// isOther reports whether the message is known not to have the type of an assertion.
func (x *crossing) isOther(assert *ssa.TypeAssert) bool {
	whole := x.s.message("").whole
	return whole != nil && isConcrete(whole.Type()) && isConcrete(assert.AssertedType) && !types.Identical(whole.Type(), assert.AssertedType)
}

// isConcrete reports whether values of type t have no other dynamic type.
func isConcrete(t types.Type) bool {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false
	}
	return !types.IsInterface(t)
}
