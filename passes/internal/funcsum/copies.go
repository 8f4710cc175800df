package funcsum

import (
	"go/token"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// What a read has found may be kept in a local variable that is no register, since a literal captures it, its address is
// passed to a callee, or it is a field of a local struct. The loads of such a variable have the value that was read, if nothing
// else is ever stored in it.
//
//	var st string
//	s.with(func() { st = s.state })
//	if st != stopped { … }

// addCopies adds, to the values of each read of f, the loads of local variables that have no other value.
func (f *Body) addCopies() {
	for _, e := range f.Events {
		if !e.Reads() {
			continue
		}
		for i := 0; i < len(e.Values); i++ { // a copy may be copied
			for _, l := range copiesOf(e.Values[i]) {
				if !slices.Contains(e.Values, ssa.Value(l)) {
					e.Values = append(e.Values, l)
				}
			}
		}
	}
}

// copiesOf returns the loads of the local variables whose only value is v, or which v is the memory of.
func copiesOf(v ssa.Value) []*ssa.UnOp {
	if memory, ok := v.(*ssa.Alloc); ok {
		if slices.ContainsFunc(ssautil.Uses(memory), func(use ssa.Instruction) bool { return storesTo(use, memory) }) {
			return nil
		}
		return loadsAt(memory)
	}
	var out []*ssa.UnOp
	for _, use := range ssautil.Uses(v) {
		st, ok := use.(*ssa.Store)
		if !ok || st.Val != v {
			continue
		}
		if field, ok := st.Addr.(*ssa.FieldAddr); ok {
			out = append(out, fieldCopies(field.X, field.Field, st, limit.Selectors)...)
		} else if variable := ssautil.VariableAt(st.Addr); variable != nil && soleStore(variable) == st {
			out = append(out, loadsOf(variable)...)
		}
	}
	return out
}

// soleStore returns the one store to a local variable, in its function or in a literal, or nil if there are several, or its address
// is used otherwise.
func soleStore(v *ssa.Alloc) *ssa.Store {
	var sole *ssa.Store
	for addr := range addressesOf(v) {
		for _, use := range ssautil.Uses(addr) {
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
		for _, mc := range closuresOf(v) {
			for i, fv := range mc.Fn.(*ssa.Function).FreeVars {
				if i < len(mc.Bindings) && ssautil.VariableAt(fv) == v && !yield(fv) {
					return
				}
			}
		}
	}
}

// fieldCopies returns the loads of a field of the local struct at addr, and of structs that it is copied to, if the field has
// no other value than the one that is stored by st, there or with the whole struct.
func fieldCopies(addr ssa.Value, field int, st *ssa.Store, depth int) []*ssa.UnOp {
	v, ok := addr.(*ssa.Alloc)
	if !ok || depth == 0 {
		return nil
	}
	var out []*ssa.UnOp
	for _, use := range ssautil.Uses(v) {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if use != st {
				return nil
			}
		case *ssa.UnOp:
			for _, copied := range ssautil.Uses(use) {
				if to, ok := copied.(*ssa.Store); ok && to.Val == ssa.Value(use) {
					out = append(out, fieldCopies(to.Addr, field, to, depth-1)...)
				}
			}
		case *ssa.FieldAddr:
			if use.Field != field {
				continue
			}
			if slices.ContainsFunc(ssautil.Uses(use), func(access ssa.Instruction) bool { return storesTo(access, use) && access != ssa.Instruction(st) }) {
				return nil
			}
			out = append(out, loadsAt(use)...)
		default:
			return nil // others have its address
		}
	}
	return out
}

// loadsAt returns the loads of the memory at addr in the function that has the address.
func loadsAt(addr ssa.Value) []*ssa.UnOp {
	var out []*ssa.UnOp
	for _, use := range ssautil.Uses(addr) {
		if l, ok := use.(*ssa.UnOp); ok && l.Op == token.MUL {
			out = append(out, l)
		}
	}
	return out
}

// storesTo reports whether an instruction stores to the memory at addr.
func storesTo(instr ssa.Instruction, addr ssa.Value) bool {
	st, ok := instr.(*ssa.Store)
	return ok && st.Addr == addr
}
