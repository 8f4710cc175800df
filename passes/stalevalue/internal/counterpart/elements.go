package counterpart

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Elements that are containers: a map or slice in another one is changed in place by a write
// of its elements, also through the variable that it was stored from.
//
//	s.byName[k][i] = x
//	list := append(s.byName[k], x); s.byName[k] = list; list[i], list[j] = list[j], list[i]
//
// Elements that are structs are changed with their fields, which have locations of their own:
//
//	s.routes[i].weight = w
//	s.byName[k][i].weight = w

// ElementWriters returns the writers that change in place a container which is an element of
// the container at a location.
func (p *Finder) ElementWriters(l accesspath.Location) []fact.Writer {
	p.findInPlace()
	return p.elements[l]
}

// FieldWriters returns the writers that change fields of elements of the container at a location, which
// has them in place.
func (p *Finder) FieldWriters(l accesspath.Location) []fact.Writer {
	p.findInPlace()
	return p.fields[l]
}

func (p *Finder) findInPlace() {
	if p.elements != nil {
		return
	}
	p.elements, p.fields = make(map[accesspath.Location][]fact.Writer), make(map[accesspath.Location][]fact.Writer)
	for f := range p.Sharing() {
		p.findElementWriters(f)
		p.findFieldWriters(f)
	}
}

// findFieldWriters notes the writes of fields of elements that are structs.
func (p *Finder) findFieldWriters(f *process.Func) {
	for _, e := range f.Events {
		if !e.Writes() || e.Within != nil || e.Base.IsLocal() || !strings.HasSuffix(string(e.Base), "]") {
			continue
		}
		in := containerRead(f, e.Base.Parent())
		if in == nil {
			continue
		}
		w := f.Writer(e)
		w.Part, w.Guards = true, f.Locks(e)
		to := p.fields
		if in.Key != "" {
			to = p.elements
		}
		to[in.Loc] = append(to[in.Loc], w)
	}
}

// containerRead returns a read of the slice at a path, if its elements are structs, or nil.
func containerRead(f *process.Func, at accesspath.Path) *funcsum.Event {
	i := slices.IndexFunc(f.Events, func(r *funcsum.Event) bool {
		return r.Reads() && r.Within == nil && r.Path == at && slices.ContainsFunc(r.Values, func(v ssa.Value) bool {
			list, ok := v.Type().Underlying().(*types.Slice)
			if !ok {
				return false
			}
			_, ok = list.Elem().Underlying().(*types.Struct)
			return ok
		})
	})
	if i < 0 {
		return nil
	}
	return f.Events[i]
}

func (p *Finder) findElementWriters(f *process.Func) {
	add := func(e *funcsum.Event, pos fact.Pos) {
		w := f.Writer(e)
		w.Part, w.Guards, w.Pos = true, f.Locks(e), pos
		p.elements[e.Loc] = append(p.elements[e.Loc], w)
	}
	for _, e := range f.Events {
		if !e.Writes() || e.Callee != nil && !e.Callee.Foreign || e.Within != nil || e.Key == "" || e.OnReferent() {
			continue
		}
		sorts := e.Op&fact.Content != 0 && e.Op&fact.Read != 0 // a function that changes its argument
		if e.Key.IsNested() || sorts {
			add(e, e.Pos)
			continue
		}
		if st := storeInto(f, e); st != nil {
			add(e, p.Pos(ssautil.Pos(st)))
		}
	}
}

// storeInto returns a store into an element of what e has put into a container, after that.
func storeInto(f *process.Func, e *funcsum.Event) ssa.Instruction {
	if len(e.Inputs) == 0 || e.Callee != nil || e.Inputs[0].Referrers() == nil {
		return nil
	}
	for _, use := range *e.Inputs[0].Referrers() {
		addr, ok := use.(*ssa.IndexAddr)
		if !ok {
			if up, ok := use.(*ssa.MapUpdate); ok && up.Map == e.Inputs[0] && f.Order().Flows(e.Instr, up) {
				return up
			}
			continue
		}
		for _, use := range *addr.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == addr && f.Order().Flows(e.Instr, st) {
				return st
			}
		}
	}
	return nil
}

// HasSpare reports whether a slice that is stored at a location may have more capacity than
// it has elements: an append writes into the array that all copies of the slice share.
func (p *Finder) HasSpare(l accesspath.Location) bool {
	if p.spare == nil {
		p.spare = make(map[accesspath.Location]bool)
		for _, f := range p.Funcs {
			for _, e := range f.Events {
				if e.Writes() && e.Key == "" && len(e.Inputs) > 0 && e.Callee == nil && hasSpare(e.Inputs[0], nil) {
					p.spare[e.Loc] = true
				}
			}
		}
	}
	return p.spare[l]
}

func hasSpare(v ssa.Value, seen []ssa.Value) bool {
	if slices.Contains(seen, v) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call:
		return ssautil.IsAppend(v)
	case *ssa.MakeSlice:
		return v.Len != v.Cap
	case *ssa.Slice:
		if v.Max != nil || v.High == nil {
			return false
		}
		n, known := v.High.(*ssa.Const)
		length, isArray := arrayLen(v.X)
		return !isArray || !known || n.Int64() < length
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return hasSpare(e, append(seen, v)) })
	}
	return false
}

// arrayLen returns the length of the array that v points to.
func arrayLen(v ssa.Value) (int64, bool) {
	a, ok := ssautil.Deref(v.Type()).Underlying().(*types.Array)
	if !ok {
		return 0, false
	}
	return a.Len(), true
}
