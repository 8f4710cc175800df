package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An insertion is an upsert if an element that is there is given what would be inserted where there is none. Then the look decides how
// it is stored, and not whether: it does not revalidate what a caller has found before.
//
//	if e, ok := c.entries[k]; ok {
//		e.v = v
//		return
//	}
//	c.entries[k] = &entry{v}

// upserts reports whether insertion w, which r decides about, is one half of an upsert.
func (f *Body) upserts(w, r *Event) bool {
	put, ok := w.Instr.(*ssa.MapUpdate)
	if !ok || r.Loc != w.Loc || r.Base != w.Base || r.Key != w.Key {
		return false
	}
	value := f.Slice(put.Value)
	for br := range f.BranchesOn(r.Values) {
		absent := AbsentSide(br.Cond, r)
		if absent >= 0 && f.OnlySide(br, w.Instr) == absent && slices.ContainsFunc(f.Events, func(o *Event) bool {
			st, ok := o.Instr.(*ssa.Store)
			return ok && o.Base.Within(w.ElementPath()) && f.OnlySide(br, st) == 1-absent && value.Has(unboxed(st.Val))
		}) {
			return true
		}
	}
	return false
}

// unboxed returns the value that is stored in an interface, or v itself.
func unboxed(v ssa.Value) ssa.Value {
	if box, ok := v.(*ssa.MakeInterface); ok {
		return box.X
	}
	return v
}
