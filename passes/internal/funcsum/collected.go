package funcsum

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A list that a function makes and appends to has only what was appended. An element of it is one of the objects, or of the
// keys, that the list was collected from:
//
//	for k, s := range r.sessions { if s.idle { due = append(due, k) } }
//	for _, k := range due { r.close(k) } // r.sessions[k], of an earlier k

// Collected returns a path with the elements of collected lists in it, and in its keys, replaced by what was appended, and the last
// one of the appends, nil if there are none.
func (f *Body) Collected(p accesspath.Path) (accesspath.Path, *ssa.Call) {
	var by *ssa.Call
	out := p.Rename(func(element accesspath.Path) accesspath.Path {
		if list := element.Root(); element.Parent() == list && element.Last()[0] == '[' {
			if call := appendTo(f.Res.Definition(list)); call != nil {
				by = call
				return f.nameOf(ssautil.Appended(call))
			}
		}
		return accesspath.Unknown
	})
	return out, by
}

// nameOf returns the path of an object, or of a key.
func (f *Body) nameOf(v ssa.Value) accesspath.Path {
	if ssautil.IsReference(v.Type()) {
		return f.Res.Resolve(v).Path
	}
	return f.Res.Key(v).Path()
}

// appendTo returns the only call that appends one value to a list, nil if there are others or if the function does not make the list.
func appendTo(list ssa.Value) *ssa.Call {
	var out *ssa.Call
	from := []ssa.Value{list}
	seen := map[ssa.Value]bool{}
	for len(from) > 0 {
		list := from[len(from)-1]
		from = from[:len(from)-1]
		if seen[list] {
			continue
		}
		seen[list] = true
		switch list := list.(type) {
		case *ssa.Const, *ssa.MakeSlice, *ssa.Alloc:
		case *ssa.Phi:
			from = append(from, list.Edges...)
		case *ssa.Slice:
			from = append(from, list.X)
		case *ssa.Call:
			if ssautil.Appended(list) == nil || out != nil {
				return nil
			}
			out = list
			from = append(from, list.Call.Args[0])
		default:
			return nil
		}
	}
	return out
}
