package ssautil

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
)

// A forwarder is a function that only calls another one, with its own parameters in their order, and returns what that
// returns:
//
//	func (s *Store) Get(key string) string { return s.get(key) }
//
// A call of it is a call of the other one with the same arguments: what is said of a program does not depend on whether an
// exported method has its body itself.

// Target returns the function that a static call runs: the callee at the end of the chain of forwarders that begins with the function which
// is called. It returns nil for a dynamic call. The arguments are those of the call.
func Target(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	for range limit.Forwarders {
		to := Forwarded(fn)
		if to == nil {
			break
		}
		fn = to
	}
	return fn
}

// Generic returns the generic function that fn is an instance of, or fn.
func Generic(fn *ssa.Function) *ssa.Function {
	if fn != nil && fn.Origin() != nil {
		return fn.Origin()
	}
	return fn
}

// Forwarded returns the callee of a forwarder, or nil if fn is no forwarder. An instance of a generic function is none.
func Forwarded(fn *ssa.Function) *ssa.Function {
	if fn == nil || len(fn.Blocks) != 1 || len(fn.FreeVars) > 0 || fn.Origin() != nil {
		return nil
	}
	var call *ssa.Call
	var results []ssa.Value
	for _, instr := range fn.Blocks[0].Instrs {
		switch instr := instr.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			if call != nil {
				return nil
			}
			call = instr
		case *ssa.Extract:
			if instr.Tuple != ssa.Value(call) {
				return nil
			}
		case *ssa.Return:
			results = instr.Results
		default:
			return nil
		}
	}
	if call == nil || !passesAll(fn, call) || !returnsAll(call, results) {
		return nil
	}
	return call.Call.StaticCallee()
}

// passesAll reports whether a call of a declared function has the parameters of fn as arguments, in their order.
func passesAll(fn *ssa.Function, call *ssa.Call) bool {
	to := call.Call.StaticCallee()
	if to == nil || to == fn || to.Parent() != nil || len(call.Call.Args) != len(fn.Params) {
		return false
	}
	for i, prm := range fn.Params {
		if call.Call.Args[i] != ssa.Value(prm) {
			return false
		}
	}
	return true
}

// returnsAll reports whether the results are those of the call, in their order.
func returnsAll(call *ssa.Call, results []ssa.Value) bool {
	if len(results) != call.Call.Signature().Results().Len() {
		return false
	}
	if len(results) == 1 {
		return results[0] == ssa.Value(call)
	}
	for i, r := range results {
		if x, ok := r.(*ssa.Extract); !ok || x.Tuple != ssa.Value(call) || x.Index != i {
			return false
		}
	}
	return true
}

// OnlyCall returns the call of a function that makes one and returns, or nil for others.
func OnlyCall(fn *ssa.Function) *ssa.Call {
	if len(fn.Blocks) != 1 {
		return nil
	}
	var out *ssa.Call
	for i, instr := range fn.Blocks[0].Instrs {
		if call, ok := instr.(*ssa.Call); ok {
			if out != nil || !IsReturn(fn.Blocks[0].Instrs[i+1:]) {
				return nil
			}
			out = call
		}
	}
	return out
}

// IsReturn reports whether instructions only return.
func IsReturn(list []ssa.Instruction) bool {
	return !slices.ContainsFunc(list, func(instr ssa.Instruction) bool {
		switch instr.(type) {
		case *ssa.Return, *ssa.RunDefers:
			return false
		}
		return true
	})
}
