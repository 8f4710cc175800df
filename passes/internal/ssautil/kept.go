package ssautil

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
)

// Kept reports whether a function puts a value where other goroutines may find it: into memory that it does not own, into a channel, or
// into an object that it returns or puts there. What a function of the same package does with an argument counts, and what
// outside says of the argument of another call. To call a function value, or a method of an object that has it, keeps nothing.
//
//	func (r *Router) HandleFunc(pattern string, f func(Request)) { r.routes = append(r.routes, route{pattern, f}) } // kept
//
//	func Inspect(n Node, f func(Node) bool) { walk(inspector(f), n) } // not kept
func Kept(v ssa.Value, outside func(call ssa.CallInstruction) bool) bool {
	k := &keeper{outside: outside, seen: make(map[ssa.Value]bool)}
	return k.kept(v)
}

type keeper struct {
	outside func(call ssa.CallInstruction) bool
	seen    map[ssa.Value]bool
}

func (k *keeper) kept(v ssa.Value) bool {
	if k.seen[v] || v.Referrers() == nil || len(k.seen) == limit.KeptValues {
		return false
	}
	k.seen[v] = true
	for _, use := range *v.Referrers() {
		if k.keeps(use, v) {
			return true
		}
	}
	return false
}

// keeps reports whether v is kept by way of one of its uses.
func (k *keeper) keeps(use ssa.Instruction, v ssa.Value) bool {
	switch use := use.(type) {
	case *ssa.Store:
		return use.Val == v && k.stored(use.Addr)
	case *ssa.MapUpdate:
		return use.Value == v
	case *ssa.Send:
		return use.X == v
	case *ssa.MakeInterface:
		return HasMethods(use.Type()) && k.kept(use)
	case *ssa.ChangeType, *ssa.ChangeInterface, *ssa.Phi, *ssa.MakeClosure, *ssa.Slice:
		return k.kept(use.(ssa.Value))
	case ssa.CallInstruction:
		return k.given(use, v)
	}
	return false
}

// given reports whether a callee keeps the argument v, or the list that it is appended to.
func (k *keeper) given(call ssa.CallInstruction, v ssa.Value) bool {
	c := call.Common()
	if Builtin(c) == "append" {
		list, _ := call.(*ssa.Call)
		return list != nil && k.kept(list)
	}
	fn := c.StaticCallee()
	if fn == nil || c.Value == v {
		return false
	}
	if len(fn.Blocks) == 0 || fn.Pkg != call.Parent().Pkg {
		return k.outside != nil && k.outside(call)
	}
	for i, arg := range c.Args {
		if arg == v && i < len(fn.Params) && k.kept(fn.Params[i]) {
			return true
		}
	}
	return false
}

// stored reports whether what is stored at an address is kept.
func (k *keeper) stored(addr ssa.Value) bool {
	whole, ok := Whole(addr).(*ssa.Alloc)
	if !ok {
		return true
	}
	if k.seen[whole] || len(k.seen) == limit.KeptValues {
		return false
	}
	isObject := whole != addr && !isArray(whole)
	if isObject && whole.Heap && k.isReturned(whole) {
		return true
	}
	if k.kept(whole) {
		return true
	}
	// A variable, or an object that is passed on by value.
	for _, use := range Uses(whole) {
		if load, ok := use.(*ssa.UnOp); ok && k.kept(load) {
			return true
		}
	}
	return false
}

func (k *keeper) isReturned(v ssa.Value) bool {
	for _, use := range Uses(v) {
		switch use := use.(type) {
		case *ssa.Return:
			return true
		case *ssa.MakeInterface:
			if k.isReturned(use) {
				return true
			}
		}
	}
	return false
}

func isArray(a *ssa.Alloc) bool {
	_, ok := Deref(a.Type()).Underlying().(*types.Array)
	return ok
}
