package funcsum

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Sink is an instruction by which a function has an effect. Values that one sink uses
// have a common correlation. Calls that format or log text are no sinks.
type Sink struct {
	// Instr is the instruction.
	Instr ssa.Instruction
	Data  depgraph.Slice // values that it depends on
	// Conditions are the branches that it is control dependent on.
	Conditions []Condition
}

// A Condition is a branch, Branch, and the values that its condition depends on, Slice.
type Condition struct {
	Branch *ssa.If
	Slice  depgraph.Slice
}

// used returns the operands of an instruction with an effect, and false for other
// instructions.
func used(instr ssa.Instruction) ([]ssa.Value, bool) {
	switch instr := instr.(type) {
	case *ssa.Return:
		return returned(instr), true
	case *ssa.Store:
		return []ssa.Value{instr.Val}, !isLocalPlace(instr.Addr)
	case *ssa.Panic:
		return []ssa.Value{instr.X}, true
	case *ssa.MapUpdate:
		return []ssa.Value{instr.Key, instr.Value}, true
	case *ssa.Send:
		return []ssa.Value{instr.X}, true
	case *ssa.Select:
		var sent []ssa.Value
		for _, st := range instr.States {
			if st.Dir == types.SendOnly {
				sent = append(sent, st.Send)
			}
		}
		return sent, len(sent) > 0
	case ssa.CallInstruction:
		c := instr.Common()
		if ssautil.Builtin(c) != "" || isText(c) { // append and the like have no effect
			return nil, false
		}
		return c.Args, true
	}
	return nil, false
}

// isLocalPlace reports whether addr is a local variable, or an element of the slice that
// holds variadic arguments, whose use is the call.
func isLocalPlace(addr ssa.Value) bool {
	if elem, ok := addr.(*ssa.IndexAddr); ok {
		return ssautil.IsVariadicArray(elem.X)
	}
	_, ok := addr.(*ssa.Alloc)
	return ok
}

// IsText reports whether a call only formats its arguments as text, or logs them.
func IsText(c *ssa.CallCommon) bool { return isText(c) }

// isText reports whether a call only formats its arguments as text, or logs them. The
// signature decides, so that it works for any package: a formatting function is variadic in
// any, or returns a string and has no string argument; a logging function has a string and
// variadic parameters, and no results.
func isText(c *ssa.CallCommon) bool {
	if ssautil.Builtin(c) != "" {
		return false
	}
	sig := c.Signature()
	n := sig.Params().Len()
	if sig.Variadic() {
		elem := sig.Params().At(n - 1).Type().(*types.Slice)
		if i, ok := elem.Elem().Underlying().(*types.Interface); ok && i.Empty() {
			return true
		}
		if sig.Results().Len() == 0 && n > 1 && slices.ContainsFunc(paramTypes(sig)[:n-1], ssautil.IsString) {
			return true
		}
	}
	if sig.Results().Len() != 1 || !ssautil.IsString(sig.Results().At(0).Type()) {
		return false
	}
	return !slices.ContainsFunc(c.Args, func(v ssa.Value) bool { return ssautil.IsString(v.Type()) })
}

func paramTypes(sig *types.Signature) []types.Type {
	var out []types.Type
	for p := range sig.Params().Variables() {
		out = append(out, p.Type())
	}
	return out
}

// returned returns the results of a return. A variable that a deferred literal may change is its own value.
func returned(r *ssa.Return) []ssa.Value {
	out := slices.Clone(r.Results)
	for i, v := range out {
		if load, ok := v.(*ssa.UnOp); ok {
			if result, ok := load.X.(*ssa.Alloc); ok && !accesspath.IsReassigned(result) {
				out[i] = ssautil.Returned(r, i)
			}
		}
	}
	return out
}
