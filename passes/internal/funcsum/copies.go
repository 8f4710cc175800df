package funcsum

import (
	"go/token"
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

// The result of a callee that returns what a literal of the caller returns is a copy as well.
//
//	st := s.locked(func() string { return s.state })

// addCopies adds, to the values of each read of f, the loads in f of local variables that have no other value, and the
// results of calls that return it.
func (f *Body) addCopies() {
	returned := f.returnedLiterals()
	for _, e := range f.Events {
		if !e.Reads() {
			continue
		}
		for i := 0; i < len(e.Values); i++ { // a copy may be copied
			copies := copiesOf(e.Values[i])
			if call := returned[e.Values[i]]; call != nil {
				copies = append(copies, call)
			}
			for _, v := range copies {
				if v.Parent() == f.Fn && !slices.Contains(e.Values, v) {
					e.Values = append(e.Values, v)
				}
			}
		}
	}
}

// returnedLiterals maps the results of literals to the calls that return them.
func (f *Body) returnedLiterals() map[ssa.Value]ssa.Value {
	out := make(map[ssa.Value]ssa.Value)
	for _, c := range f.Calls {
		call, ok := c.Instr.(*ssa.Call)
		literal := f.in.Funcs[c.Callee].Fn
		if !ok || literal.Parent() != f.Fn || literal.Signature.Results().Len() != 1 {
			continue
		}
		for _, callee := range f.in.Callees(f, &call.Call) {
			if callee.Fn == nil || callee.Fn.Fn == literal {
				continue
			}
			for i := range callee.Args {
				if fn, _, _ := f.in.FuncValue(f.Node, callee.Args[i]); fn == literal && ssautil.ReturnsCallOf(callee.Fn.Fn, i) {
					for _, ret := range ssautil.Returns(literal) {
						out[ssautil.Returned(ret, 0)] = call
					}
				}
			}
		}
	}
	return out
}

// copiesOf returns the loads of the local variables whose only value is v, or which v is the memory of.
func copiesOf(v ssa.Value) []ssa.Value {
	if memory, ok := v.(*ssa.Alloc); ok {
		if slices.ContainsFunc(ssautil.Uses(memory), func(use ssa.Instruction) bool { return storesTo(use, memory) }) {
			return nil
		}
		return loadsAt(memory)
	}
	var out []ssa.Value
	for _, use := range ssautil.Uses(v) {
		st, ok := use.(*ssa.Store)
		if !ok || st.Val != v {
			continue
		}
		if field, ok := st.Addr.(*ssa.FieldAddr); ok {
			out = append(out, fieldCopies(field.X, field.Field, st, limit.Selectors)...)
		} else if variable := ssautil.VariableAt(st.Addr); variable != nil && ssautil.SoleStore(variable) == st {
			for _, l := range ssautil.LoadsOf(variable) {
				out = append(out, l)
			}
		}
	}
	return out
}

// fieldCopies returns the loads of a field of the local struct at addr, and of structs that it is copied to, if the field has
// no other value than the one that is stored by st, there or with the whole struct.
func fieldCopies(addr ssa.Value, field int, st *ssa.Store, depth int) []ssa.Value {
	v, ok := addr.(*ssa.Alloc)
	if !ok || depth == 0 {
		return nil
	}
	var out []ssa.Value
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
func loadsAt(addr ssa.Value) []ssa.Value {
	var out []ssa.Value
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
