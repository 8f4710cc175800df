// Package ssautil has small helpers on SSA instructions and types that several packages
// need.
package ssautil

import (
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Deref returns the type that t points to if it is a pointer, and otherwise t.
func Deref(t types.Type) types.Type {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

// Named returns the named type that t is or points to, or nil.
func Named(t types.Type) *types.Named {
	named, _ := types.Unalias(Deref(t)).(*types.Named)
	return named
}

// Declared returns the declaration of the named type that t is or points to, nil for other types. All instances of a generic type have one.
func Declared(t types.Type) types.Object {
	if named := Named(t); named != nil {
		return named.Origin().Obj()
	}
	return nil
}

// IsNamed reports whether t is, or points to, the type of a name in a package.
func IsNamed(t types.Type, pkg, name string) bool {
	n := Named(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && n.Obj().Name() == name
}

// Field returns field i of the struct that t is or points to, as its generic type
// declares it; nil if there is no struct.
func Field(t types.Type, i int) *types.Var {
	st, ok := Deref(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return st.Field(i).Origin()
}

// IsReference reports whether a copy of a value of type t shares memory with it.
func IsReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice, *types.Chan, *types.Signature:
		return true
	}
	return false
}

// TakesFunc reports whether a function has a function-valued parameter.
func TakesFunc(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(prm *ssa.Parameter) bool { return IsFunc(prm.Type()) })
}

// HasMethods reports whether t is an interface type with methods.
func HasMethods(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0
}

// Elem returns the type of the elements of a map, slice, array or channel, or nil.
func Elem(t types.Type) types.Type {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return t.Elem()
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Chan:
		return t.Elem()
	}
	return nil
}

// IsPointer reports whether v is a pointer.
func IsPointer(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Pointer)
	return ok
}

// IsFunc reports whether t is the type of a function, or points to one.
func IsFunc(t types.Type) bool {
	_, ok := Deref(t).Underlying().(*types.Signature)
	return ok
}

// IsString reports whether t is a string type.
func IsString(t types.Type) bool { return isBasic(t, types.IsString) }

// IsBytes reports whether t is a type of slices of bytes.
func IsBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// IsNumber reports whether t is a numeric type.
func IsNumber(t types.Type) bool { return isBasic(t, types.IsNumeric) }

// IsBool reports whether t is a boolean type.
func IsBool(t types.Type) bool { return isBasic(t, types.IsBoolean) }

func isBasic(t types.Type, info types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// IsError reports whether t is the type error.
func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// IsEmptyStruct reports whether values of type t have no content.
func IsEmptyStruct(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	return ok && st.NumFields() == 0
}

// Parts returns t and the types of the values that a value of type t contains, as fields of
// structs and elements of arrays. Each type is returned once: a type with two fields of
// another, which has two fields of a third, has far more fields than types.
func Parts(t types.Type) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		seen := make(map[types.Type]bool)
		work := []types.Type{t}
		for len(work) > 0 {
			t := work[len(work)-1]
			work = work[:len(work)-1]
			if seen[t] {
				continue
			}
			seen[t] = true
			if !yield(t) {
				return
			}
			switch t := t.Underlying().(type) {
			case *types.Struct:
				for field := range t.Fields() {
					work = append(work, field.Type())
				}
			case *types.Array:
				work = append(work, t.Elem())
			}
		}
	}
}

// IsPlain reports whether values of type t have no references but strings, so that those that
// are computed in the same way are equal.
func IsPlain(t types.Type) bool {
	for part := range Parts(t) {
		switch part.Underlying().(type) {
		case *types.Basic, *types.Struct, *types.Array:
		default:
			return false
		}
	}
	return true
}
