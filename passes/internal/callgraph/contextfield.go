package callgraph

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Canceled is the name of the flag that is set when a context ends, as a part of the field with the context.
const Canceled = "done"

// A contextField is the field with the context that a cancel function ends.
//
//	s.ctx, s.stop = context.WithCancel(parent)
//
// It has no name if the context is in no field of the object: then the flag is a part of the field with the cancel function.
type contextField struct {
	name string
	loc  accesspath.Location
}

// flag returns the flag of the context.
func (f contextField) flag() accesspath.Location { return f.loc.Flag(Canceled) }

// resultOf returns the call that makes a context of which v is result i.
func resultOf(v ssa.Value, i int) (*ssa.Call, bool) {
	result, ok := unconverted(v).(*ssa.Extract)
	if !ok || result.Index != i {
		return nil, false
	}
	call, ok := result.Tuple.(*ssa.Call)
	return call, ok && call.Call.Signature().Results().Len() == 2 && ssautil.IsNamed(call.Call.Signature().Results().At(0).Type(), "context", "Context")
}

// fieldsWith yields the addresses of the fields in which result i of a call is stored.
func fieldsWith(call *ssa.Call, i int) func(yield func(*ssa.FieldAddr) bool) {
	return func(yield func(*ssa.FieldAddr) bool) {
		for _, r := range *call.Referrers() {
			result, ok := r.(*ssa.Extract)
			if !ok || result.Index != i {
				continue
			}
			for v := range forms(result) {
				for _, use := range ssautil.Uses(v) {
					st, ok := use.(*ssa.Store)
					if !ok || st.Val != v {
						continue
					}
					if to, ok := st.Addr.(*ssa.FieldAddr); ok && !yield(to) {
						return
					}
				}
			}
		}
	}
}

// forms yields a value, the loads of a variable in which it alone is stored, and what it and these are converted to.
func forms(v ssa.Value) func(yield func(ssa.Value) bool) {
	return func(yield func(ssa.Value) bool) {
		list := []ssa.Value{v}
		for i := 0; i < len(list); i++ {
			if !yield(list[i]) {
				return
			}
			for _, use := range ssautil.Uses(list[i]) {
				switch use := use.(type) {
				case *ssa.ChangeType:
					list = append(list, use)
				case *ssa.Store:
					if at := ssautil.VariableAt(use.Addr); at != nil && use.Val == list[i] && ssautil.SoleStore(at) == use {
						for _, l := range ssautil.LoadsOf(at) {
							list = append(list, l)
						}
					}
				}
			}
		}
	}
}

// unconverted returns the value that is converted to a type with the same underlying type, or v.
func unconverted(v ssa.Value) ssa.Value {
	if c, ok := v.(*ssa.ChangeType); ok {
		return c.X
	}
	return v
}
