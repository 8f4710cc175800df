package funcsum

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A relative update loses no update of a rival. But the added amount is itself stale if it
// is computed from an earlier value of the location:
//
//	c.Add(c.Value()) // does not double c
//
// Subtraction of an earlier value is correct, since it removes what was processed.
// Therefore the dependences of added values are recorded, and not those of subtracted ones.

// added returns the values that e adds to the current value of its location.
func (f *Body) added(e *Event) []ssa.Value {
	if e.Reads() {
		return e.Inputs // one atomic operation
	}
	if len(e.Inputs) == 0 {
		return nil
	}
	current := func(v ssa.Value) bool { return f.reads(e, v) }
	switch in := e.Inputs[0].(type) {
	case *ssa.BinOp:
		switch {
		case in.Op == token.ADD && current(in.X):
			return []ssa.Value{in.Y}
		case in.Op == token.ADD && current(in.Y):
			return []ssa.Value{in.X}
		}
	case *ssa.Call:
		if ssautil.IsAppend(in) && current(in.Call.Args[0]) {
			return in.Call.Args[1:]
		}
	}
	return nil
}

// addedParams returns the bit set of the parameters of f that e adds to the current value.
func (p *Summaries) addedParams(f *Body, e *Event) uint32 {
	var set uint32
	for i, prm := range f.Fn.Params {
		if i < fact.MaxParams && mayBeNumber(prm) && slices.ContainsFunc(e.Added, func(v ssa.Value) bool { return p.partOf(f, v, prm) }) {
			set |= 1 << i
		}
	}
	return set
}

// partOf reports whether to add v is to add parameter prm.
func (p *Summaries) partOf(f *Body, v, prm ssa.Value) bool {
	if ssautil.IsNumber(v.Type()) {
		return depgraph.Grows(v, []ssa.Value{prm})
	}
	return f.Slice(v).Has(prm)
}

// Adds reports whether to add v is to add one of the given values: a number that grows with
// them (monotone), or a larger value that contains such a number, as an element does that has its place in the list.
//
//	s.items = append(s.items, item{id: n}) // n := len(s.items), in an earlier section
func (f *Body) Adds(v ssa.Value, of []ssa.Value) bool {
	if ssautil.IsNumber(v.Type()) {
		return depgraph.Grows(v, of)
	}
	return slices.ContainsFunc(f.Slice(v), func(part ssa.Value) bool {
		switch part.(type) {
		case *ssa.BinOp, *ssa.Call: // a sum, or a length
			return ssautil.IsNumber(part.Type()) && depgraph.Grows(part, of)
		}
		return false
	})
}

// mayBeNumber is ssautil.IsNumber, and true for type parameters.
func mayBeNumber(v ssa.Value) bool {
	_, open := types.Unalias(v.Type()).(*types.TypeParam)
	return open || ssautil.IsNumber(v.Type())
}
