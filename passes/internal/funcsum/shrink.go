package funcsum

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A list loses elements if it is replaced by a part of itself, and a map if it is cleared. The section that does so
// adds nothing that others would miss, and it leaves an empty container empty.

// shrinks reports whether e leaves a part of the list that is there, or nothing of the map.
//
//	s.idle = s.idle[1:]
//	s.idle = slices.DeleteFunc(s.idle, expired)
//	s.idle = append(s.idle[:i], s.idle[i+1:]...)
//	clear(s.byName)
//	s.queue.Remove(s.queue.Front())
func (f *Body) shrinks(e *Event) bool {
	if clears(e.Instr) || called(e.Instr).Shrinks {
		return true
	}
	if e.Reads() || len(e.Inputs) == 0 || f.reads(e, e.Inputs[0]) {
		return false
	}
	if _, list := e.Inputs[0].Type().Underlying().(*types.Slice); !list {
		return false
	}
	return f.isPart(e, e.Inputs[0])
}

// clears reports whether an instruction removes all elements of a map.
func clears(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return false
	}
	if ssautil.Builtin(&call.Call) != "clear" {
		return false
	}
	_, isMap := call.Call.Args[0].Type().Underlying().(*types.Map)
	return isMap
}

// isPart reports whether all elements of list v are elements of the list that e replaces.
func (f *Body) isPart(e *Event, v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Slice:
		return f.reads(e, v.X) || f.isPart(e, v.X)
	case *ssa.Call:
		args := v.Call.Args
		if ssautil.IsAppend(v) {
			return (ssautil.IsNil(args[0]) || f.isPart(e, args[0])) && f.isPart(e, args[1]) // append([]T(nil), s.list[1:]...) copies a part
		}
		fn := v.Call.StaticCallee()
		if fn == nil {
			return false
		}
		return stdlib.OfFunc(ssautil.Object(fn)).Removes && (f.reads(e, args[0]) || f.isPart(e, args[0]))
	}
	return false
}
