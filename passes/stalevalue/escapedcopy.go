package stalevalue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A copy of a struct has the same maps and slices as the original. Who gets the copy looks into
// them without the lock:
//
//	func (r *Recorder) Snapshot() Stats {
//		r.mu.Lock()
//		defer r.mu.Unlock()
//		return r.stats // WRONG: r.stats.ByRoute is the map that Observe writes to
//	}
//
// The copy of a struct is a read of each of its fields, see package funcsum. A field of the copy to
// which the function assigns is not shared any more.

// A structCopy is a struct that a read of one of its fields yields as a whole.
type structCopy struct {
	value ssa.Value
	field int
	// variables are the local variables that hold the copy.
	variables []*ssa.Alloc
}

// copyOf returns the copy of a struct that v is, for the read r of a field that is a container.
func copyOf(r *summary.Event, v ssa.Value) (structCopy, bool) {
	st, ok := v.Type().Underlying().(*types.Struct)
	if !ok {
		return structCopy{}, false
	}
	name := r.Path.Last()
	for i := range st.NumFields() {
		if "."+st.Field(i).Name() != name || !depgraph.IsContainer(st.Field(i).Type()) {
			continue
		}
		c := structCopy{value: v, field: i}
		for _, use := range ssautil.Uses(v) {
			if s, ok := use.(*ssa.Store); ok && s.Val == v {
				if made, ok := s.Addr.(*ssa.Alloc); ok {
					c.variables = append(c.variables, made)
				}
			}
		}
		return c, !slices.ContainsFunc(c.variables, c.isAssigned)
	}
	return structCopy{}, false
}

// isAssigned reports whether the function assigns to the field of a variable, or to the variable as
// a whole more than once.
func (c structCopy) isAssigned(made *ssa.Alloc) bool {
	for _, use := range ssautil.Uses(made) {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Val != c.value {
				return true
			}
		case *ssa.FieldAddr:
			if use.Field == c.field && slices.ContainsFunc(ssautil.Uses(use), func(instr ssa.Instruction) bool {
				_, load := instr.(*ssa.UnOp)
				return !load
			}) {
				return true
			}
		}
	}
	return false
}

// containers returns the values of the field.
func (c structCopy) containers() []ssa.Value {
	var out []ssa.Value
	for _, use := range ssautil.Uses(c.value) {
		if f, ok := use.(*ssa.Field); ok && f.Field == c.field {
			out = append(out, f)
		}
	}
	for _, made := range c.variables {
		for _, use := range ssautil.Uses(made) {
			if f, ok := use.(*ssa.FieldAddr); ok && f.Field == c.field {
				for _, load := range ssautil.Uses(f) {
					out = append(out, load.(*ssa.UnOp))
				}
			}
		}
	}
	return out
}

// wholes returns the values of the struct.
func (c structCopy) wholes() []ssa.Value {
	out := []ssa.Value{c.value}
	for _, made := range c.variables {
		for _, use := range ssautil.Uses(made) {
			if l, ok := use.(*ssa.UnOp); ok && l.X == made {
				out = append(out, l)
			}
		}
	}
	return out
}

// sharedCopy returns the copy of a struct that v is, for the read r of a field of it.
func (d *detector) sharedCopy(r *summary.Event, v ssa.Value) (structCopy, bool) {
	if r.Within != nil || r.Callee != nil && !d.returnsCopy(r, v) {
		return structCopy{}, false
	}
	return copyOf(r, v)
}

// returnsCopy reports whether v is the result of a callee that returns a copy which it has made itself,
// and the field of it as it was.
func (d *detector) returnsCopy(r *summary.Event, v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	callee := d.pkg.FuncOf(call.Call.StaticCallee())
	return callee != nil && slices.ContainsFunc(callee.Events, func(e *summary.Event) bool {
		return e.Loc == r.Loc && e.Reads() && e.Callee == nil && slices.ContainsFunc(e.Values, func(v ssa.Value) bool {
			c, ok := copyOf(e, v)
			return ok && c.isReturned()
		})
	})
}

// isReturned reports whether the function returns the copy, and nothing else.
func (c structCopy) isReturned() bool {
	wholes, returns := c.wholes(), ssautil.Returns(c.value.Parent())
	return len(returns) > 0 && !slices.ContainsFunc(returns, func(ret *ssa.Return) bool {
		return len(ret.Results) != 1 || !slices.Contains(wholes, ssautil.Returned(ret, 0))
	})
}

// isExported reports whether those who get the struct can use the field.
func (c structCopy) isExported() bool {
	return c.value.Type().Underlying().(*types.Struct).Field(c.field).Exported()
}
