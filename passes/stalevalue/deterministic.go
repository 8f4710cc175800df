package stalevalue

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/summary"
)

// isDeterministic reports whether the value that w writes is the same in each run. Of a
// function of another package this is so if it is given something, starts no goroutine and
// has no state of its own. What is read with no lock at all is not changed at that time, as
// the program is taken to be free of data races.
func (d *detector) isDeterministic(w *summary.Event) bool {
	if slices.ContainsFunc(w.Data, func(i int) bool { return len(d.f.Events[i].Holds) > 0 }) {
		return false
	}
	key := d.f.Slice(w.Inputs[0])[:0:0]
	if len(w.Inputs) > 1 {
		key = d.f.Slice(w.Inputs[1])
	}
	for _, v := range d.f.Slice(w.Inputs[0]) {
		switch v := v.(type) {
		case *ssa.Parameter:
			if !key.Has(v) && !(d.f.Fn.Signature.Recv() != nil && v == d.f.Fn.Params[0]) {
				return false // another caller has another argument
			}
		case *ssa.Call:
			if ssautil.Builtin(&v.Call) == "" && !d.isComputation(v) {
				return false
			}
		case *ssa.Extract: // of a call that is not in the slice itself
			if call, ok := v.Tuple.(*ssa.Call); ok && !d.isComputation(call) {
				return false
			}
		case *ssa.UnOp:
			if v.Op == token.ARROW {
				return false
			}
		case *ssa.Select, *ssa.FreeVar, *ssa.MakeChan:
			return false
		}
	}
	return true
}

// isComputation reports whether a call only computes something from its arguments. That is
// assumed if its summary has no write.
func (d *detector) isComputation(call *ssa.Call) bool {
	c := &call.Call
	fn := ssautil.Target(c)
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || stdlib.OfFunc(obj).Clock {
		return false
	}
	sum := d.pkg.Foreign(obj.Origin())
	if callees := d.calleesAt(call); len(callees) == 1 {
		sum = callees[0].Sum
	}
	return len(c.Args) > 0 && (sum == nil || !sum.Spawns && !slices.ContainsFunc(sum.Accesses, func(a summary.Access) bool { return a.Op&summary.Write != 0 && !isOfNew(c, a.Base) }))
}

// isOfNew reports whether an object, in the terms of a callee, is an argument that was made for the call.
//
//	template.New("page").Parse(text) // writes the template
func isOfNew(c *ssa.CallCommon, base accesspath.Path) bool {
	for i, arg := range c.Args {
		if base.Root() == accesspath.Param(i) {
			switch arg.(type) {
			case *ssa.Alloc, *ssa.Call:
				return true
			}
		}
	}
	return false
}

// isInert reports whether what w puts is a reference to a number, a text or an array, or to an
// object of another package, that has no state: nobody changes it by way of the location, and
// nobody has to close it. The objects of this package may be compared by reference.
func (d *detector) isInert(w *summary.Event) bool {
	t := put(w).Type()
	ptr, ok := t.Underlying().(*types.Pointer)
	if !ok || isBare(put(w)) || !isNumbers(ptr.Elem()) && !d.isForeignObject(ptr.Elem()) || closes(t) {
		return false
	}
	for part := range ssautil.Parts(ptr.Elem()) {
		if hasIdentity(part) {
			return false
		}
	}
	return !d.anyRead(w.Loc, func(_ *summary.Func, e *summary.Event) bool { return slices.ContainsFunc(e.Values, d.isChanged) })
}

// isNumbers reports whether values of a type are numbers, texts or arrays of them.
func isNumbers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Array:
		return isNumbers(u.Elem())
	}
	return false
}

func (d *detector) isForeignObject(t types.Type) bool {
	named := ssautil.Named(t)
	return named != nil && named.Obj().Pkg() != d.pass.Pkg && !types.IsInterface(t)
}

// closes reports whether a type has a method Close() error, as io.Closer has.
func closes(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Close")
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && ssautil.IsError(sig.Results().At(0).Type())
}

// isChanged reports whether the function of v changes the object that v, or a value that may
// be v, refers to: in a store, or in a call that is known to write it. A time stamp is no part of it.
func (d *detector) isChanged(v ssa.Value) bool {
	seen := make(map[ssa.Value]bool)
	var changed func(v ssa.Value) bool
	changed = func(v ssa.Value) bool {
		if seen[v] || v.Referrers() == nil {
			return false
		}
		seen[v] = true
		return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
			switch use := use.(type) {
			case *ssa.Store:
				return use.Addr == v
			case *ssa.MapUpdate:
				return use.Map == v
			case *ssa.UnOp:
				return use.Op == token.MUL && ssautil.IsReference(use.Type()) && changed(use)
			case *ssa.FieldAddr:
				return !d.isStamp(accesspath.LocationOf(use)) && changed(use)
			case *ssa.Phi, *ssa.IndexAddr, *ssa.ChangeType, *ssa.Extract:
				return changed(use.(ssa.Value))
			case ssa.CallInstruction:
				return d.changesBy(use.Common(), v)
			}
			return false
		})
	}
	return changed(v)
}

// isStamp reports whether a location is a time stamp that makes no difference between two objects: only times are written to it, and
// nothing is decided or returned by it but which of all elements of a container are the oldest.
func (d *detector) isStamp(l accesspath.Location) bool {
	info := d.pkg.Location(l)
	return info.ClockOnly && !d.anyRead(l, func(f *summary.Func, e *summary.Event) bool {
		return !e.Base.HasAny() && (f.DecidesBranch(e.Values) || ssautil.AnyResult(f.Fn, func(v ssa.Value) bool { return f.Slice(v).HasAny(e.Values) }))
	})
}

// anyRead reports whether a read of a location, in any function of the package, is as asked.
func (d *detector) anyRead(l accesspath.Location, asked func(f *summary.Func, e *summary.Event) bool) bool {
	return slices.ContainsFunc(d.pkg.Funcs, func(f *summary.Func) bool {
		return slices.ContainsFunc(f.Events, func(e *summary.Event) bool { return e.Reads() && e.Loc == l && asked(f, e) })
	})
}

// changesBy reports whether a call of a function of another package changes the object of an
// argument.
func (d *detector) changesBy(c *ssa.CallCommon, v ssa.Value) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == d.pass.Pkg {
		return false
	}
	i := slices.Index(c.Args, v)
	sum := d.pkg.Foreign(obj.Origin())
	return sum != nil && i >= 0 && i < limit.Params && sum.Mutates&(1<<i) != 0
}
