package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A slice that is written as a whole may be changed in place nevertheless: an append to its
// beginning writes over what comes after that, in the array that all copies of the slice share.
//
//	s.list = append(s.list[:i], s.list[i+1:]...) // shifts the elements behind i
//	s.buf = append(s.buf[:0], b...)
//	s.list = slices.Delete(s.list, i, i+1)
//
// So does each append after the slice was rewound:
//
//	batch := s.buf
//	s.buf = s.buf[:0]          // the next append writes to batch[0]

// Shifts reports whether a writer changes in place the elements of a slice at a location, by an
// append to the beginning of the slice that it has found there, or by a function that moves elements.
func (p *Finder) Shifts(l accesspath.Location, w *fact.Writer) bool {
	if p.shifts == nil {
		p.findShifts()
	}
	return slices.Contains(p.shifts[l], w.Pos)
}

// Rewinds reports whether a write, here or in a callee, leaves the array of a slice in its place, and
// none of its elements.
func (p *Finder) Rewinds(w *funcsum.Event) bool {
	if p.shifts == nil {
		p.findShifts()
	}
	return slices.ContainsFunc(p.rewinds[w.Loc], func(at fact.Pos) bool { return at.Text == w.Pos.Text })
}

func (p *Finder) findShifts() {
	p.shifts, p.rewinds = make(map[accesspath.Location][]fact.Pos), make(map[accesspath.Location][]fact.Pos)
	p.wholeWrites(func(f *process.Func, e *funcsum.Event) {
		if s, ok := e.Inputs[0].(*ssa.Slice); ok && s.Max == nil && ssautil.IsZero(s.High) && isFoundThere(f, e, s.X) {
			p.rewinds[e.Loc] = append(p.rewinds[e.Loc], e.Pos)
		}
	})
	p.wholeWrites(func(f *process.Func, e *funcsum.Event) {
		call, ok := e.Inputs[0].(*ssa.Call)
		if !ok {
			return
		}
		list := movedBy(call)
		if list == nil && ssautil.IsAppend(call) && len(p.rewinds[e.Loc]) > 0 {
			list = call.Call.Args[0]
		}
		if list != nil && isFoundThere(f, e, list) {
			p.shifts[e.Loc] = append(p.shifts[e.Loc], e.Pos)
		}
	})
}

// wholeWrites visits the writes of whole variables, in the functions that make them.
func (p *Finder) wholeWrites(visit func(*process.Func, *funcsum.Event)) {
	for f := range p.Sharing() {
		for _, e := range f.Events {
			if e.Writes() && e.Key == "" && e.Callee == nil && len(e.Inputs) > 0 {
				visit(f, e)
			}
		}
	}
}

// isFoundThere reports whether a slice was read from the variable that e writes.
func isFoundThere(f *process.Func, e *funcsum.Event, list ssa.Value) bool {
	return slices.ContainsFunc(f.Events, func(r *funcsum.Event) bool {
		return r.Reads() && r.Loc == e.Loc && r.Key == "" && r.Base == e.Base && slices.Contains(r.Values, list)
	})
}

// movedBy returns the slice whose elements a call moves, or writes over, in place, or nil.
func movedBy(call *ssa.Call) ssa.Value {
	if ssautil.IsAppend(call) {
		if begin, ok := call.Call.Args[0].(*ssa.Slice); ok && begin.High != nil && begin.Max == nil {
			return begin.X
		}
		return nil
	}
	if fn := call.Call.StaticCallee(); fn != nil && stdlib.OfFunc(ssautil.Object(fn)).Shifts {
		return call.Call.Args[0]
	}
	return nil
}
