package counterpart

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A slice that is written as a whole may be changed in place nevertheless: an append to its
// beginning writes over what comes after that, in the array that all copies of the slice share.
//
//	s.list = append(s.list[:i], s.list[i+1:]...) // shifts the elements behind i
//	s.buf = append(s.buf[:0], b...)
//	s.list = slices.Delete(s.list, i, i+1)

// Shifts reports whether a writer changes in place the elements of a slice at a location, by an
// append to the beginning of the slice that it has found there, or by a function that moves elements.
func (p *Finder) Shifts(l accesspath.Location, w *fact.Writer) bool {
	if p.shifts == nil {
		p.shifts = make(map[accesspath.Location][]fact.Pos)
		for f := range p.Sharing() {
			for _, e := range f.Events {
				if e.Writes() && e.Key == "" && e.Callee == nil && len(e.Inputs) > 0 && shifts(f, e) {
					p.shifts[e.Loc] = append(p.shifts[e.Loc], e.Pos)
				}
			}
		}
	}
	return slices.Contains(p.shifts[l], w.Pos)
}

func shifts(f *process.Func, e *funcsum.Event) bool {
	call, ok := e.Inputs[0].(*ssa.Call)
	if !ok {
		return false
	}
	list := movedBy(call)
	return list != nil && slices.ContainsFunc(f.Events, func(r *funcsum.Event) bool {
		return r.Reads() && r.Loc == e.Loc && r.Key == "" && r.Base == e.Base && slices.Contains(r.Values, list)
	})
}

// movedBy returns the slice whose elements a call moves, or writes over, in place, or nil.
func movedBy(call *ssa.Call) ssa.Value {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
		if begin, ok := call.Call.Args[0].(*ssa.Slice); ok && begin.High != nil && begin.Max == nil {
			return begin.X
		}
		return nil
	}
	fn := call.Call.StaticCallee()
	if fn == nil {
		return nil
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if obj, ok := fn.Object().(*types.Func); ok && stdlib.OfFunc(obj).Shifts {
		return call.Call.Args[0]
	}
	return nil
}
