package callgraph

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// scanFuncField records a store to a field of a function type.
func (p *scanner) scanFuncField(st *ssa.Store) {
	addr, ok := st.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	if _, ok := st.Val.Type().Underlying().(*types.Signature); !ok {
		return
	}
	loc := accesspath.LocationOf(addr)
	if loc == "" {
		return
	}
	field := p.funcFields[loc]
	switch v := st.Val.(type) {
	case *ssa.Function, *ssa.MakeClosure:
		field.many = field.many || field.value != nil && !sameFunction(field.value, v)
		field.value = v
	case *ssa.Const: // nil
	default:
		field.many = true
	}
	p.funcFields[loc] = field
}

// sameFunction reports whether two values are the same function, or the same method of any
// objects.
func sameFunction(a, b ssa.Value) bool {
	object := func(v ssa.Value) types.Object {
		if mc, ok := v.(*ssa.MakeClosure); ok {
			v = mc.Fn
		}
		if fn, ok := v.(*ssa.Function); ok {
			return fn.Object()
		}
		return nil
	}
	return object(a) != nil && object(a) == object(b)
}

// scanFieldCalls adds the calls of field values to the call graph, after all stores to
// fields were scanned.
func (p *scanner) scanFieldCalls() {
	for _, c := range p.fieldCalls {
		for _, callee := range p.fieldCallees(c.instr.Common()) {
			switch {
			case callee.Fn != nil:
				c.f.Calls = append(c.f.Calls, Call{c.instr, callee.Fn.ID, c.kind})
			case callee.Sum != nil:
				c.f.Shares = true
			}
		}
	}
}
