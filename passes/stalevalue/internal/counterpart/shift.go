package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A slice that is written as a whole may be changed in place nevertheless: an append to its
// beginning writes over what comes after that, in the array that all copies of the slice share.
//
//	s.list = append(s.list[:i], s.list[i+1:]...) // shifts the elements behind i
//	s.buf = append(s.buf[:0], b...)

// Shifts reports whether a writer changes in place the elements of a slice at a location, by an
// append to the beginning of the slice that it has found there.
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
	if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "append" {
		return false
	}
	begin, ok := call.Call.Args[0].(*ssa.Slice)
	if !ok || begin.High == nil || begin.Max != nil {
		return false
	}
	return slices.ContainsFunc(f.Events, func(r *funcsum.Event) bool {
		return r.Reads() && r.Loc == e.Loc && r.Key == "" && r.Base == e.Base && slices.Contains(r.Values, begin.X)
	})
}
