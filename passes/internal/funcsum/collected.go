package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A list that a function makes and appends to has only what was appended. An element of it is one of the objects, or of the
// keys, that the list was collected from:
//
//	for k, s := range r.sessions { if s.idle { due = append(due, k) } }
//	for _, k := range due { r.close(k) } // r.sessions[k], of an earlier k

// A Collection is the call that appends to a list, in the function or in a callee that returns the list, and a read there by which
// the objects are chosen.
type Collection struct {
	In   *Body
	Read *Event
	By   *ssa.Call
}

// Collected returns a path with the elements of collected lists in it, and in its keys, replaced by what was appended, and the
// last one of the appends, which is nil if there are none. A callee that makes the read may have made the list, too; elements for
// which the function has no name are unknown ones.
//
//	for _, k := range r.idle() { r.close(k) }
func (f *Body) Collected(p accesspath.Path, read *Event) (accesspath.Path, Collection) {
	var out Collection
	path := p.Rename(func(element accesspath.Path) accesspath.Path {
		list := element.Root()
		if element.Parent() != list || element.Last()[0] != '[' {
			return accesspath.Unknown
		}
		def := f.Res.Definition(list)
		if call, i := ssautil.CallOf(def); call != nil && call == read.Instr && read.Callee != nil {
			name, c := f.collectedBy(call, i, read)
			if c.By != nil {
				out = c
			}
			return name
		}
		call := appendTo(def)
		if call == nil {
			return accesspath.Unknown
		}
		out = Collection{f, read, call}
		return f.nameOf(ssautil.Appended(call))
	})
	return path, out
}

// collectedBy returns the name of the elements of a list that a callee collects as a read in it decides, and returns as result i.
func (f *Body) collectedBy(call *ssa.Call, i int, read *Event) (accesspath.Path, Collection) {
	callee, _, ok := f.onlyCallee(call)
	if !ok {
		return accesspath.Unknown, Collection{}
	}
	g := f.in.of(callee.Fn)
	var by *ssa.Call
	for _, r := range ssautil.Returns(g.Fn) {
		list := ssautil.Returned(r, i)
		if ssautil.IsNil(list) {
			continue
		}
		one := appendTo(list)
		if one == nil || by != nil && by != one {
			return accesspath.Unknown, Collection{}
		}
		by = one
	}
	if by == nil {
		return accesspath.Unknown, Collection{}
	}
	name := g.nameOf(ssautil.Appended(by))
	for _, inner := range g.Events {
		if inner.Loc == read.Loc && inner.Op == read.Op && f.isOf(callee, inner, read) && (inner.Base.Within(name) || slices.Contains(inner.Base.Keys(), accesspath.PathKey(name)) || g.isKeyOf(name, inner)) {
			if out := f.in.Translate(f, callee, name); out != accesspath.Unknown {
				return out, Collection{g, inner, by}
			}
			return accesspath.Path(accesspath.AnyKey), Collection{g, inner, by}
		}
	}
	return accesspath.Unknown, Collection{}
}

// isKeyOf reports whether a name is that of the keys of a container that is ranged over.
//
//	for c := range h.clients { out = append(out, c) }
func (f *Body) isKeyOf(name accesspath.Path, container *Event) bool {
	next, ok := f.Res.Definition(name).(*ssa.Next)
	if !ok {
		return false
	}
	of, ok := next.Iter.(*ssa.Range)
	return ok && slices.Contains(container.Values, of.X)
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
		case *ssa.Const, *ssa.MakeSlice:
		case *ssa.Alloc:
			if len(ssautil.StoredIn(list)) > 0 {
				return nil // []string{first}
			}
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
