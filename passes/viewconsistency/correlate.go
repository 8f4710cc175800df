package viewconsistency

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// A sink is an instruction by which a function has an effect: what comes
// together in one is used together.
type sink struct {
	instr ssa.Instruction
	data  depgraph.Slice
	// conditions decide whether it is reached.
	conditions []condition
}

type condition struct {
	branch *ssa.If
	slice  depgraph.Slice
}

// A join says where two values come together.
type join struct {
	at   ssa.Instruction
	word string // what that is
}

const result = "the result"

// correlated reports whether the two reads of a split read have a common
// correlation: their values come together in one result, call, write or
// decision that has an effect (Dias, Pessanha, Lourenço, section 4.3).
func (d *detector) correlated(s *split) bool {
	for _, k := range d.effects() {
		if k.instr == s.first.Instr || k.instr == s.second.Instr || !d.follows(s, k.instr) {
			continue
		}
		one, two := k.data.HasAny(s.first.Values), k.data.HasAny(s.second.Values)
		if one && two {
			s.join = join{k.instr, word(k.instr)}
			return true
		}
		// A branch on the first value that is behind the second read has the
		// pair at hand. One before it only leads there.
		for _, c := range k.conditions {
			if d.follows(s, c.branch) {
				one = one || c.slice.HasAny(s.first.Values)
				two = two || c.slice.HasAny(s.second.Values)
			}
		}
		if one && two {
			s.join = join{k.instr, "the decision"}
			return true
		}
	}
	return false
}

// follows reports whether control can come from the second read to instr before
// the first is made afresh.
func (d *detector) follows(s *split, instr ssa.Instruction) bool {
	return d.f.Order().Exists(summary.Way{From: s.second.Instr, To: instr, Avoid: s.first.Instr})
}

func word(instr ssa.Instruction) string {
	switch instr.(type) {
	case *ssa.Return:
		return result
	case ssa.CallInstruction:
		return "the call"
	}
	return "the write"
}

// effects returns the sinks of the function.
func (d *detector) effects() []sink {
	if d.sinks != nil {
		return d.sinks
	}
	d.sinks = []sink{}
	slicer := d.pkg.SlicerWithout(d.f, func(c *ssa.Call) bool { return isText(&c.Call) })
	conditions := make(map[*ssa.BasicBlock][]condition)
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			values, ok := used(instr)
			if !ok {
				continue
			}
			decided, known := conditions[b]
			if !known {
				for _, br := range d.pkg.Branches(&summary.Event{Instr: instr}) {
					decided = append(decided, condition{br, slicer.Back(br.Cond)})
				}
				conditions[b] = decided
			}
			d.sinks = append(d.sinks, sink{instr, slicer.Back(values...), decided})
		}
	}
	return d.sinks
}

// used returns the values that an instruction with an effect uses.
func used(instr ssa.Instruction) ([]ssa.Value, bool) {
	switch instr := instr.(type) {
	case *ssa.Return:
		return instr.Results, true
	case *ssa.Store:
		_, local := instr.Addr.(*ssa.Alloc)
		return []ssa.Value{instr.Val}, !local
	case *ssa.MapUpdate:
		return []ssa.Value{instr.Key, instr.Value}, true
	case *ssa.Send:
		return []ssa.Value{instr.X}, true
	case ssa.CallInstruction:
		c := instr.Common()
		if _, ok := c.Value.(*ssa.Builtin); ok || isText(c) { // append and the like have no effect
			return nil, false
		}
		return c.Args, true
	}
	return nil, false
}

// isText reports whether a call only makes text for people of its arguments, or
// logs them. That takes no list of names: what formats takes anything at all
// (...any), or makes a string of something that is none; what logs takes a
// message and as many things as there are, and returns nothing.
func isText(c *ssa.CallCommon) bool {
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return false
	}
	sig := c.Signature()
	n := sig.Params().Len()
	if sig.Variadic() {
		elem := sig.Params().At(n - 1).Type().(*types.Slice)
		if i, ok := elem.Elem().Underlying().(*types.Interface); ok && i.Empty() {
			return true
		}
		if sig.Results().Len() == 0 && n > 1 && slices.ContainsFunc(paramTypes(sig)[:n-1], isString) {
			return true
		}
	}
	if sig.Results().Len() != 1 || !isString(sig.Results().At(0).Type()) {
		return false
	}
	return !slices.ContainsFunc(c.Args, func(v ssa.Value) bool { return isString(v.Type()) })
}

func paramTypes(sig *types.Signature) []types.Type {
	var out []types.Type
	for p := range sig.Params().Variables() {
		out = append(out, p.Type())
	}
	return out
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
