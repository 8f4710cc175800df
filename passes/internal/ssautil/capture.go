package ssautil

import (
	"go/token"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A local variable that function literals capture has several addresses: the allocation in its function, and a
// free variable in each literal.

// ClosuresOf returns the closures that capture the variable at addr, those in literals
// included.
func ClosuresOf(addr ssa.Value) []*ssa.MakeClosure {
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
				out = append(out, ClosuresOf(fn.FreeVars[i])...)
			}
		}
	}
	return out
}

// LoadsOf returns the loads of a local variable, those in literals included.
func LoadsOf(v *ssa.Alloc) []*ssa.UnOp {
	var out []*ssa.UnOp
	for addr := range addressesOf(v) {
		for _, use := range Uses(addr) {
			if l, ok := use.(*ssa.UnOp); ok && l.Op == token.MUL {
				out = append(out, l)
			}
		}
	}
	return out
}

// CallsOf returns the calls of the function value in a local variable, those in literals included; false if it is used otherwise.
func CallsOf(v *ssa.Alloc) ([]ssa.CallInstruction, bool) {
	var calls []ssa.CallInstruction
	for _, l := range LoadsOf(v) {
		for _, use := range Uses(l) {
			if _, isDebug := use.(*ssa.DebugRef); isDebug {
				continue
			}
			c, ok := use.(ssa.CallInstruction)
			if !ok || c.Common().Value != ssa.Value(l) || slices.Contains(c.Common().Args, ssa.Value(l)) {
				return nil, false
			}
			calls = append(calls, c)
		}
	}
	return calls, true
}

// SoleStore returns the one store to a local variable, in its function or in a literal, or nil if there are several, or its address
// is used otherwise.
func SoleStore(v *ssa.Alloc) *ssa.Store {
	var sole *ssa.Store
	for addr := range addressesOf(v) {
		for _, use := range Uses(addr) {
			switch use := use.(type) {
			case *ssa.UnOp, *ssa.DebugRef, *ssa.MakeClosure:
			case *ssa.Store:
				if use.Addr != addr || sole != nil {
					return nil
				}
				sole = use
			default:
				return nil
			}
		}
	}
	return sole
}

// addressesOf yields the variable itself and the free variables of literals that capture it.
func addressesOf(v *ssa.Alloc) iter.Seq[ssa.Value] {
	return func(yield func(ssa.Value) bool) {
		if !yield(v) {
			return
		}
		for _, mc := range ClosuresOf(v) {
			for i, fv := range mc.Fn.(*ssa.Function).FreeVars {
				if i < len(mc.Bindings) && VariableAt(fv) == v && !yield(fv) {
					return
				}
			}
		}
	}
}
