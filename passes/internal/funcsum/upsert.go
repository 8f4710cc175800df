package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An insertion is an upsert if the function stores the same values in the element that the look-up has found. The look-up then decides how
// the values are stored, and not whether: it revalidates no check that a caller has made before.
//
//	if e, ok := c.entries[k]; ok {
//		e.v = v
//		return
//	}
//	c.entries[k] = &entry{v}
//
// The look-up is a revalidation if the element keeps a value, if it is returned, or if all that is stored is the present time:
//
//	if s, ok := t.sessions[k]; ok { s.seen = now; return s }

// upserts returns the indexes of the look-ups of which an insertion is the absent side of an upsert.
func (f *Body) upserts(w *Event) []int {
	put, ok := w.Instr.(*ssa.MapUpdate)
	if !ok {
		return nil
	}
	var out []int
	for _, i := range w.Control {
		if r := f.Events[i]; r.Loc == w.Loc && r.Base == w.Base && r.Key == w.Key && SharePassage(r, w) && !f.returns(r.Values) && f.isReplaced(w, r, contents(put)) {
			out = append(out, i)
		}
	}
	return out
}

// isReplaced reports whether f stores all of some values in the element that r finds, on the side of a branch where it is present.
func (f *Body) isReplaced(w, r *Event, values []ssa.Value) bool {
	for br := range f.BranchesOn(r.Values) {
		absent := AbsentSide(br.Cond, r)
		if absent < 0 || f.OnlySide(br, w.Instr) != absent {
			continue
		}
		missed := slices.ContainsFunc(values, func(v ssa.Value) bool {
			return !slices.ContainsFunc(f.Events, func(o *Event) bool {
				st, ok := o.Instr.(*ssa.Store)
				return ok && o.Base.Within(w.ElementPath()) && f.OnlySide(br, st) == 1-absent && ssautil.Unboxed(st.Val) == v
			})
		})
		if !missed {
			return slices.ContainsFunc(values, func(v ssa.Value) bool { return !isMoment(v.Type()) })
		}
	}
	return false
}

// contents returns the values that an insertion stores: those in the fields of a new object, without its key and constants, or the value
// itself. Of the result of a call it is the last argument: m[k] = list.PushFront(v).
func contents(put *ssa.MapUpdate) []ssa.Value {
	v := ssautil.Unboxed(put.Value)
	if call, ok := v.(*ssa.Call); ok && len(call.Call.Args) > 0 {
		v = ssautil.Unboxed(call.Call.Args[len(call.Call.Args)-1])
	}
	object, ok := v.(*ssa.Alloc)
	if !ok {
		return []ssa.Value{v}
	}
	return slices.DeleteFunc(ssautil.PartsOf(object), func(v ssa.Value) bool { return v == put.Key || ssautil.IsConst(v) })
}

// returns reports whether a result of f, but for an error, depends on one of some values.
func (f *Body) returns(values []ssa.Value) bool {
	return ssautil.AnyResult(f.Fn, func(v ssa.Value) bool { return !ssautil.IsError(v.Type()) && f.Slice(v).HasAny(values) })
}
