package ssautil

import "golang.org/x/tools/go/ssa"

// IsVariadicArray reports whether v is the array that package ssa makes for the variadic arguments
// of a call.
func IsVariadicArray(v ssa.Value) bool {
	made, ok := v.(*ssa.Alloc)
	return ok && made.Comment == "varargs"
}

// Variadic returns the array of a list of variadic arguments, or nil if v is something else.
func Variadic(v ssa.Value) *ssa.Alloc {
	if list, ok := v.(*ssa.Slice); ok && IsVariadicArray(list.X) {
		return list.X.(*ssa.Alloc)
	}
	return nil
}

// StoredIn returns the values that are stored in the elements of a new array.
func StoredIn(array *ssa.Alloc) []ssa.Value {
	var out []ssa.Value
	for _, use := range *array.Referrers() {
		at, ok := use.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *at.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == at {
				out = append(out, st.Val)
			}
		}
	}
	return out
}

// Appended returns the one value that a call appends to a list: v of append(list, v). It is nil for other calls.
func Appended(call *ssa.Call) ssa.Value {
	if Builtin(&call.Call) != "append" {
		return nil
	}
	if array := Variadic(call.Call.Args[1]); array != nil {
		if values := StoredIn(array); len(values) == 1 {
			return values[0]
		}
	}
	return nil
}

// PartsOf returns the values that are stored in the fields of a new struct, or captured by a function literal; none for other values.
func PartsOf(v ssa.Value) []ssa.Value {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v.Bindings
	case *ssa.Alloc:
		var out []ssa.Value
		for _, use := range *v.Referrers() {
			if at, ok := use.(*ssa.FieldAddr); ok {
				for _, use := range *at.Referrers() {
					if st, ok := use.(*ssa.Store); ok && st.Addr == at {
						out = append(out, st.Val)
					}
				}
			}
		}
		return out
	}
	return nil
}
