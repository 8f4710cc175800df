package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An insertion is an upsert if an element that is there is given all that would be inserted where there is none. Then the look decides
// how it is stored, and not whether: it does not revalidate what a caller has found before.
//
//	if e, ok := c.entries[k]; ok {
//		e.v = v
//		return
//	}
//	c.entries[k] = &entry{v}
//
// An element that keeps something, or that the caller gets, has been looked up again, and so has one that is only touched:
//
//	if s, ok := t.sessions[k]; ok { s.seen = now; return s }

// upserts returns the indexes of the looks by which an insertion is one half of an upsert.
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

// isReplaced reports whether the element that r finds is given all of some values where it is there.
func (f *Body) isReplaced(w, r *Event, values []ssa.Value) bool {
	for br := range f.BranchesOn(r.Values) {
		absent := AbsentSide(br.Cond, r)
		if absent < 0 || f.OnlySide(br, w.Instr) != absent {
			continue
		}
		missed := slices.ContainsFunc(values, func(v ssa.Value) bool {
			return !slices.ContainsFunc(f.Events, func(o *Event) bool {
				st, ok := o.Instr.(*ssa.Store)
				return ok && o.Base.Within(w.ElementPath()) && f.OnlySide(br, st) == 1-absent && unboxed(st.Val) == v
			})
		})
		if !missed {
			return slices.ContainsFunc(values, func(v ssa.Value) bool { return !isMoment(v.Type()) })
		}
	}
	return false
}

// contents returns what is put into a container: the values in a new object but for its key, or the value itself, or what a container
// of elements is given that are found by themselves.
func contents(put *ssa.MapUpdate) []ssa.Value {
	v := unboxed(put.Value)
	if call, ok := v.(*ssa.Call); ok && len(call.Call.Args) > 0 {
		v = unboxed(call.Call.Args[len(call.Call.Args)-1])
	}
	object, ok := v.(*ssa.Alloc)
	if !ok {
		return []ssa.Value{v}
	}
	return slices.DeleteFunc(ssautil.PartsOf(object), func(v ssa.Value) bool { return v == put.Key || ssautil.IsConst(v) })
}

// returns reports whether a result of f is one of some values, or computed from them.
func (f *Body) returns(values []ssa.Value) bool {
	return slices.ContainsFunc(ssautil.Returns(f.Fn), func(ret *ssa.Return) bool {
		return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return !ssautil.IsError(v.Type()) && f.Slice(v).HasAny(values) })
	})
}

// unboxed returns the value that is stored in an interface, or v itself.
func unboxed(v ssa.Value) ssa.Value {
	if box, ok := v.(*ssa.MakeInterface); ok {
		return box.X
	}
	return v
}
