package callgraph

import (
	"go/types"
	"slices"

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
	if prm, ok := st.Val.(*ssa.Parameter); ok {
		p.storedParams = append(p.storedParams, storedParam{loc, prm})
		return
	}
	p.addToField(loc, st.Val)
}

// addToField records a value of a field of a function type. A value that is no known function makes the others count for nothing.
func (p *scanner) addToField(loc accesspath.Location, v ssa.Value) {
	field := p.funcFields[loc]
	switch v := v.(type) {
	case *ssa.Function, *ssa.MakeClosure:
		field.many = field.many || field.value != nil && !sameFunction(field.value, v)
		field.value = v
	case *ssa.Const: // nil
	default:
		field.many = true
	}
	p.funcFields[loc] = field
}

// A storedParam is a parameter of a function type that is stored in a field.
type storedParam struct {
	field accesspath.Location
	prm   *ssa.Parameter
}

// scanStoredParams gives fields the values that the callers of a function pass for a parameter which it stores there. Code outside the
// package may pass anything.
//
//	func newChannel(name string, gone func(*Channel)) *Channel { return &Channel{name: name, gone: gone} }
//
//	c := newChannel(name, t.remove)
func (p *scanner) scanStoredParams() {
	for _, s := range p.storedParams {
		of := p.node(s.prm.Parent())
		if of == nil || of.Exported() {
			p.addToField(s.field, s.prm)
			continue
		}
		i := slices.Index(of.Fn.Params, s.prm)
		for _, c := range p.passings {
			if c.callee == of && i < len(c.args) && !c.caller.Test {
				p.addToField(s.field, c.args[i])
			}
		}
	}
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
