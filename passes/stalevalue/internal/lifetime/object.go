package lifetime

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// An Object is what a read has found: the values of the function that are the object, or a
// part of it.
type Object struct {
	f *process.Func
	// hops is, for each value, the number of pointers in fields that lead to it.
	hops map[ssa.Value]int
}

// Has reports whether v is the object or a part of it.
func (o *Object) Has(v ssa.Value) bool {
	_, ok := o.hops[v]
	return ok
}

// Found returns the object that the read e of f has found.
func (p *Finder) Found(f *process.Func, e *funcsum.Event) *Object {
	if o, ok := p.found[e]; ok {
		return o
	}
	var from []ssa.Value
	for _, v := range e.Values {
		if p.mayHold(e, v) {
			from = append(from, v)
		}
	}
	o := p.reach(f, from...)
	p.found[e] = o
	return o
}

// reach returns the object that some values of f are.
func (p *Finder) reach(f *process.Func, from ...ssa.Value) *Object {
	o := &Object{f: f, hops: make(map[ssa.Value]int)}
	var todo []ssa.Value
	add := func(v ssa.Value, hops int) {
		if have, known := o.hops[v]; (!known || hops < have) && hops <= limit.ObjectHops {
			o.hops[v] = hops
			todo = append(todo, v)
		}
	}
	for _, v := range from {
		add(v, 0)
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if v.Referrers() == nil {
			continue
		}
		for _, use := range ssautil.Uses(v) {
			p.follow(f, v, use, o.hops[v], add)
		}
	}
	return o
}

// mayHold reports whether the value v that e has read may be an object of the variable: a new
// object, which was computed from one, is not.
func (p *Finder) mayHold(e *funcsum.Event, v ssa.Value) bool {
	if _, isTuple := v.Type().(*types.Tuple); isTuple {
		return e.Callee == nil
	}
	if e.Callee == nil {
		return true
	}
	if !ssautil.IsReference(v.Type()) || ssautil.IsError(v.Type()) {
		return false
	}
	i := 0
	if x, ok := v.(*ssa.Extract); ok {
		i = x.Index
	}
	return i >= len(e.Callee.Results) || !e.Callee.Results[i].Fresh
}

// follow adds what an instruction makes of v.
func (p *Finder) follow(f *process.Func, v ssa.Value, use ssa.Instruction, hops int, add func(ssa.Value, int)) {
	switch use := use.(type) {
	case *ssa.Extract, *ssa.Phi, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.TypeAssert,
		*ssa.Field, *ssa.FieldAddr, *ssa.Index, *ssa.Slice, *ssa.Range, *ssa.Next:
		add(use.(ssa.Value), hops)
	case *ssa.IndexAddr:
		if use.X == v {
			add(use, hops)
		}
	case *ssa.Lookup:
		if use.X == v {
			add(use, hops)
		}
	case *ssa.UnOp:
		if use.Op == token.MUL {
			if isPointerField(use) {
				hops++
			}
			add(use, hops)
		}
	case *ssa.Store:
		if local := variable(use.Addr); use.Val == v && local != nil {
			add(local, hops)
		}
	case *ssa.Call:
		p.followCall(f, v, use, hops, add)
	}
}

// isPointerField reports whether a load yields a pointer that is a field of an object.
func isPointerField(l *ssa.UnOp) bool {
	if _, ok := l.X.(*ssa.FieldAddr); !ok {
		return false
	}
	switch l.Type().Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// variable returns the variable of the function that addr belongs to, or nil.
func variable(addr ssa.Value) *ssa.Alloc {
	for {
		switch a := addr.(type) {
		case *ssa.Alloc:
			return a
		case *ssa.IndexAddr:
			addr = a.X
		default:
			return nil
		}
	}
}

// followCall adds the result of a call that is its argument v, or a part of it.
func (p *Finder) followCall(f *process.Func, v ssa.Value, c *ssa.Call, hops int, add func(ssa.Value, int)) {
	if b := ssautil.Builtin(&c.Call); b != "" {
		if b == "append" {
			add(c, hops)
		}
		return
	}
	if fn := c.Call.StaticCallee(); fn != nil && fn.Object() != nil {
		if obj, ok := fn.Object().(*types.Func); ok && keepsElements(obj) {
			add(c, hops)
			return
		}
	}
	cs := p.Callees(f.Body, &c.Call)
	if len(cs) != 1 || cs[0].May {
		return
	}
	sum := p.SummaryOf(cs[0])
	if sum == nil {
		return
	}
	for i, r := range sum.Results {
		for j, a := range cs[0].Args {
			if a == v && r.Path != accesspath.Unknown && r.Path.Root() == accesspath.Param(j) {
				if res := ssautil.Result(c, i); res != nil {
					add(res, hops)
				}
			}
		}
	}
}

// keepsElements reports whether the result of a function has the elements of its argument.
func keepsElements(fn *types.Func) bool {
	if fn.Pkg() == nil || fn.Signature().Recv() != nil || stdlib.Declares(fn).Opaque {
		return false
	}
	switch fn.Pkg().Path() {
	case "slices", "maps":
		results := fn.Signature().Results()
		return results.Len() == 1 && ssautil.IsReference(results.At(0).Type())
	}
	return false
}

// isMoved reports whether the function puts the object itself into another place, where it lives on.
//
//	delete(s.meters, from)
//	s.meters[to] = m
func (o *Object) isMoved() bool {
	for v, hops := range o.hops {
		if hops > 0 || v.Referrers() == nil || !o.isWhole(v) {
			continue
		}
		for _, use := range ssautil.Uses(v) {
			switch use := use.(type) {
			case *ssa.MapUpdate:
				if use.Value == v {
					return true
				}
			case *ssa.Send:
				if use.X == v {
					return true
				}
			case *ssa.Store:
				if use.Val == v && variable(use.Addr) == nil {
					return true
				}
			}
		}
	}
	return false
}

// isWhole reports whether v is a pointer to the object, or a list with one, and not a part of it.
func (o *Object) isWhole(v ssa.Value) bool {
	t := v.Type()
	if list, ok := t.Underlying().(*types.Slice); ok {
		t = list.Elem()
	}
	if _, isPointer := t.Underlying().(*types.Pointer); !isPointer {
		return false
	}
	for w, hops := range o.hops {
		_, isField := w.(*ssa.FieldAddr)
		if _, isPointer := w.Type().Underlying().(*types.Pointer); hops == 0 && !isField && isPointer && types.Identical(w.Type(), t) {
			return true
		}
	}
	return false
}
