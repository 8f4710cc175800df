package counterpart

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An object that collects something is taken out of its container, or replaced in its variable, so that what it has
// collected can be used:
//
//	m.mu.Lock(); full := m.active; m.active = newTable(); m.mu.Unlock()
//	m.write(full.sorted())
//
// A function that has found the object before, and adds to it afterwards, adds to an object that is not read again.

// TakesOut returns the functions that take objects out of a container, and have the field of those read as a whole: by
// themselves, by a caller to which they return them, or by a function that reads them from where they have stored them.
func (p *Finder) TakesOut(container, field accesspath.Location) []fact.Writer {
	return pairs(p, &p.outgoing, p.findTakenOut)[container][field]
}

func (p *Finder) findTakenOut(f *process.Func) {
	for _, out := range f.Events {
		object := objectTakenOut(out)
		if object == nil || nameOf(object) == nil {
			continue
		}
		for _, r := range p.receiversOf(f, out, object) {
			g := p.Funcs[r.fn]
			for _, e := range g.Events {
				if e.Reads() && !e.Writes() && (e.Key == "" || e.Key.HasAny()) && e.Base == accesspath.Param(r.param) && isHandedOn(g, e) {
					p.outgoing.add(out.Loc, e.Loc, withLocks(f, out))
				}
			}
		}
	}
}

// isHandedOn reports whether what a function reads, or what it computes of that, goes to others: it is a result, an argument, or
// stored elsewhere. A number that it only decides by, or counts up, says nothing to others.
func isHandedOn(f *process.Func, e *funcsum.Event) bool {
	return slices.ContainsFunc(f.Sinks(), func(k funcsum.Sink) bool {
		if !k.Data.HasAny(e.Values) {
			return false
		}
		store, ok := k.Instr.(*ssa.Store)
		return !ok || f.Res.Resolve(store.Addr).Loc != e.Loc
	})
}

// objectTakenOut returns the type of the objects that a write takes out of a container, or replaces in a variable, or
// nil.
func objectTakenOut(out *funcsum.Event) types.Type {
	if !out.Writes() || out.Callee != nil || out.Base.IsLocal() || len(out.Added) > 0 || out.Delta() {
		return nil
	}
	switch instr := out.Instr.(type) {
	case *ssa.Store:
		if out.Key == "" {
			return objectIn(instr.Val.Type())
		}
	case *ssa.Call:
		if ssautil.Builtin(&instr.Call) == "delete" {
			return objectIn(instr.Call.Args[0].Type())
		}
	}
	return nil
}

// objectIn returns the type of the objects that a type refers to: pointers to structs, alone or in a map or slice.
func objectIn(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Map:
		t = u.Elem()
	case *types.Slice:
		t = u.Elem()
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		if _, ok := ptr.Elem().Underlying().(*types.Struct); ok {
			return t
		}
	}
	return nil
}

// receiversOf returns the functions that are given objects of a type after the write out has taken some out of a
// container.
func (p *Finder) receiversOf(f *process.Func, out *funcsum.Event, object types.Type) []gift {
	back, on := returns(f.Fn, object), handsOn(f, out, object)
	return slices.DeleteFunc(slices.Clone(p.giftsOf(object)), func(g gift) bool {
		arg := g.at.Common().Args[g.param]
		switch {
		case g.by == f && (!f.Order().Flows(out.Instr, g.at) || isNew(out, g.at)):
			return true
		case g.by != f && !on && !(back && isAfterCall(g, f)):
			return true
		}
		return g.by.Res.Resolve(arg).Loc == out.Loc
	})
}

// isAfterCall reports whether an object is given away after a call of f in the same function.
func isAfterCall(g gift, f *process.Func) bool {
	return slices.ContainsFunc(g.by.Calls, func(c callgraph.Call) bool {
		return c.Callee == f.ID && c.Instr != nil && g.by.Order().Flows(c.Instr, g.at)
	})
}

// giftsOf returns the calls in the package that have an object of a type as argument.
func (p *Finder) giftsOf(object types.Type) []gift {
	if p.gifts == nil {
		p.gifts = make(map[types.Object][]gift)
		for f := range p.Sharing() {
			for _, call := range f.Calls {
				if call.Callee < 0 || call.Instr == nil || call.Kind != fact.Called || call.Instr.Common().IsInvoke() {
					continue
				}
				for i, arg := range call.Instr.Common().Args {
					if name := nameOf(arg.Type()); name != nil {
						p.gifts[name] = append(p.gifts[name], gift{taker{call.Callee, i}, f, call.Instr})
					}
				}
			}
		}
	}
	return p.gifts[nameOf(object)]
}

// nameOf returns the name of the struct that values of a type point to, or nil.
func nameOf(t types.Type) types.Object {
	if ptr, ok := t.(*types.Pointer); ok {
		if named, ok := ptr.Elem().(*types.Named); ok {
			return named.Obj()
		}
	}
	return nil
}

// isNew reports whether an instruction is a call with the object that out puts in the place of another one.
func isNew(out *funcsum.Event, at ssa.Instruction) bool {
	store, ok := out.Instr.(*ssa.Store)
	call, called := at.(ssa.CallInstruction)
	return ok && called && slices.Contains(call.Common().Args, store.Val)
}

// returns reports whether a function has a result with objects of a type.
func returns(fn *ssa.Function, object types.Type) bool {
	for v := range fn.Signature.Results().Variables() {
		if t := objectIn(v.Type()); t != nil && types.Identical(t, object) {
			return true
		}
	}
	return false
}

// handsOn reports whether f puts the object that the write out takes out elsewhere in the same critical section, or
// sends it: what was read in its place, or what is compared with that.
//
//	if s.active == t { s.full = append(s.full, t); s.active = newTable() }
func handsOn(f *process.Func, out *funcsum.Event, object types.Type) bool {
	old := oldObjects(f, out)
	if len(old) == 0 {
		return false
	}
	isOld := func(v ssa.Value) bool {
		t := objectIn(v.Type())
		return t != nil && types.Identical(t, object) && f.Slice(v).HasAny(old)
	}
	return slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool {
		return e.Writes() && e != out && e.Loc != out.Loc && funcsum.SharePassage(e, out) && (slices.ContainsFunc(e.Inputs, isOld) || slices.ContainsFunc(e.Added, isOld))
	}) || slices.ContainsFunc(f.Sinks(), func(k funcsum.Sink) bool {
		send, ok := k.Instr.(*ssa.Send)
		return ok && isOld(send.X) && f.Order().Flows(out.Instr, send)
	})
}

// oldObjects returns the values that f reads in the place of the write out, in the same critical section, and those which it
// compares with them.
func oldObjects(f *process.Func, out *funcsum.Event) []ssa.Value {
	var old []ssa.Value
	for _, r := range f.Events {
		if !r.Reads() || r.Loc != out.Loc || r.Base != out.Base || !funcsum.SharePassage(r, out) {
			continue
		}
		old = append(old, r.Values...)
		for _, v := range r.Values {
			for _, use := range ssautil.Uses(v) {
				if cmp, ok := use.(*ssa.BinOp); ok {
					old = append(old, cmp.X, cmp.Y)
				}
			}
		}
	}
	return old
}
