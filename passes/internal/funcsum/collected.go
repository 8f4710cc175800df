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
//
// The same holds for a map, of its keys and of its values:
//
//	for _, k := range keys { if r.sessions[k] == nil { missing[k] = true } }
//	for k := range missing { r.open(k) }

// A Collection is the instruction that puts something into a list or map, in the function or in a callee that returns it, and a read
// there by which the objects are chosen.
type Collection struct {
	In   *Body
	Read *Event
	By   ssa.Instruction
}

// Collected returns a path in which the elements of collected lists, also in its keys, are replaced by the objects or keys that were
// collected, with the Collection of the last one of them; its instruction is nil if the path has no such element. A callee that makes the read may have made the list, too; elements for
// which the function has no name are unknown ones.
//
//	for _, k := range r.idle() { r.close(k) }
func (f *Body) Collected(p accesspath.Path, read *Event) (accesspath.Path, Collection) {
	var out Collection
	path := p.Rename(func(element accesspath.Path) accesspath.Path {
		list, key := f.listOf(element)
		if list == nil {
			return accesspath.Unknown
		}
		if call, i := ssautil.CallOf(list); call != nil && call == read.Instr && read.Callee != nil {
			name, c := f.collectedBy(call, i, key, read)
			if c.By != nil {
				out = c
			}
			return name
		}
		by, v := putInto(list, key)
		if by == nil {
			return accesspath.Unknown
		}
		out = Collection{f, read, by}
		return f.nameOf(v)
	})
	return path, out
}

// listOf returns the value of the list or map that a path names an element of, or a key, nil for other paths.
func (f *Body) listOf(element accesspath.Path) (list ssa.Value, key bool) {
	root := element.Root()
	def := f.Res.Definition(root)
	switch {
	case element == root:
		if next, ok := def.(*ssa.Next); ok {
			if over, ok := next.Iter.(*ssa.Range); ok {
				return over.X, true
			}
		}
	case element.Parent() == root && element.Last()[0] == '[':
		return def, false
	}
	return nil, false
}

// collectedBy returns the name of the elements, or of the keys, of a list or map that a callee collects as a read in it decides, and
// returns as result i.
func (f *Body) collectedBy(call *ssa.Call, i int, key bool, read *Event) (accesspath.Path, Collection) {
	callee, _, ok := f.onlyCallee(call)
	if !ok {
		return accesspath.Unknown, Collection{}
	}
	g := f.in.of(callee.Fn)
	var (
		by ssa.Instruction
		in ssa.Value
	)
	for _, r := range ssautil.Returns(g.Fn) {
		list := ssautil.Returned(r, i)
		if ssautil.IsNil(list) {
			continue
		}
		one, v := putInto(list, key)
		if one == nil || by != nil && by != one {
			return accesspath.Unknown, Collection{}
		}
		by, in = one, v
	}
	if by == nil {
		return accesspath.Unknown, Collection{}
	}
	name := g.nameOf(in)
	for _, inner := range g.Events {
		if inner.Loc == read.Loc && inner.Op == read.Op && f.isOf(callee, inner, read) && (inner.Base.Within(name) || inner.Key == accesspath.PathKey(name) || slices.Contains(inner.Base.Keys(), accesspath.PathKey(name)) || g.IsKeyOf(name, inner)) {
			if out := f.in.Translate(f, callee, name); out != accesspath.Unknown {
				return out, Collection{g, inner, by}
			}
			return accesspath.Path(accesspath.AnyKey), Collection{g, inner, by}
		}
	}
	return accesspath.Unknown, Collection{}
}

// IsKeyOf reports whether a name is that of the keys of a container that is ranged over.
//
//	for c := range h.clients { out = append(out, c) }
func (f *Body) IsKeyOf(name accesspath.Path, container *Event) bool {
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

// putInto returns the only instruction that puts something into a list or map, and the value that it puts, or the key if that is asked
// for; nil if there are others or if the function does not make the list.
func putInto(list ssa.Value, key bool) (ssa.Instruction, ssa.Value) {
	if made := madeMap(list); made != nil {
		update := updateOf(made)
		switch {
		case update == nil:
			return nil, nil
		case key:
			return update, update.Key
		}
		return update, update.Value
	}
	if call := appendTo(list); call != nil && !key {
		return call, ssautil.Appended(call)
	}
	return nil, nil
}

// madeMap returns the map that v is, or that a variable has which v is loaded from, nil for other values.
func madeMap(v ssa.Value) *ssa.MakeMap {
	if stores := loaded(v); len(stores) == 1 {
		v = stores[0]
	}
	made, _ := v.(*ssa.MakeMap)
	return made
}

// loaded returns the values that a variable may have which v is loaded from: the result of a function with deferred calls is one.
func loaded(v ssa.Value) []ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	variable, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(accesspath.StoresOf(variable), func(stored ssa.Value) bool {
		again, ok := stored.(*ssa.UnOp)
		return ok && again.X == variable // the variable is returned
	})
}

// updateOf returns the only update of a map that the function makes and gives to nobody who may write, or nil.
func updateOf(made *ssa.MakeMap) *ssa.MapUpdate {
	var out *ssa.MapUpdate
	for _, use := range ssautil.Uses(made) {
		switch use := use.(type) {
		case *ssa.MapUpdate:
			if use.Map != made || out != nil {
				return nil
			}
			out = use
		case *ssa.Range, *ssa.Lookup, *ssa.Return:
		case *ssa.Store: // the result of a function with deferred calls
			if variable, ok := use.Addr.(*ssa.Alloc); !ok || accesspath.IsReassigned(variable) {
				return nil
			}
		case *ssa.Call:
			if ssautil.Builtin(&use.Call) != "len" {
				return nil // a delete chooses anew
			}
		default:
			return nil
		}
	}
	return out
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
		case *ssa.UnOp:
			stored := loaded(list)
			if stored == nil {
				return nil
			}
			from = append(from, stored...)
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
