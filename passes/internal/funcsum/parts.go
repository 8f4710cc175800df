package funcsum

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A copy of a shared struct is a read of each of its fields. A value that is computed from one
// field of the copy depends on the read of that field only:
//
//	t := s.task(id) // reads task.state, task.tries
//	s.set(id, t.tries+1)
//
// Slices are of whole values. What of a struct is used in a slice is found by the fields that the
// other values of the slice are loaded from; all of it is, if some value of the slice is the
// struct as a whole.

// usesPart reports whether the values of a slice use the part of a struct that the read e of a
// field yields, if what e yields is a struct with that field.
func usesPart(s depgraph.Slice, e *Event) bool {
	if e.Loc.Type() == "" || e.Op&fact.Write != 0 {
		return true
	}
	for _, v := range e.Values {
		st := structOf(v, e.Loc.Type())
		if st == nil || !s.Has(v) {
			continue
		}
		fields, whole := fieldsUsed(s, st, e.Values)
		return whole || slices.Contains(fields, e.Loc.LastField())
	}
	return true
}

// structOf returns the type of v if it is a struct with the given name.
func structOf(v ssa.Value, name string) types.Type {
	n, ok := types.Unalias(v.Type()).(*types.Named)
	if !ok || n.Obj().Name() != name {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return n
}

// fieldsUsed returns the names of the fields of a struct type that the values of a slice are loaded
// from, and whether another value of the slice than the given ones is the whole struct. A slice
// without fields uses the whole.
func fieldsUsed(s depgraph.Slice, st types.Type, but []ssa.Value) (fields []string, whole bool) {
	for _, v := range s {
		switch x := v.(type) {
		case *ssa.Field:
			if isStruct(x.X.Type(), st) {
				fields = append(fields, ssautil.Field(st, x.Field).Name())
				continue
			}
		case *ssa.UnOp:
			if at, ok := x.X.(*ssa.FieldAddr); ok && x.Op == token.MUL && isStruct(ssautil.Deref(at.X.Type()), st) {
				fields = append(fields, ssautil.Field(st, at.Field).Name())
				continue
			}
		case *ssa.Alloc:
			continue
		}
		if !slices.Contains(but, v) && isStruct(v.Type(), st) {
			return nil, true
		}
	}
	return fields, len(fields) == 0
}

// isStruct reports whether t is the named type st. Some values of package ssa have types of their
// own, which cannot be compared.
func isStruct(t, st types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && types.Identical(n, st)
}
