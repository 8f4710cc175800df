package funcsum

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
)

// A write that changes what is there by some amount loses no update of others.
// But an amount that is itself computed from an earlier value of the same place
// may be wrong by now: c.Add(c.Value()) is not c.Double(). To take away what was
// seen is right all the same, as that is what was dealt with. So what counts is
// what is added.

// added returns the values that e adds to what is there.
func (f *Body) added(e *Event) []ssa.Value {
	if e.Reads() {
		return e.Inputs // one atomic operation
	}
	if len(e.Inputs) == 0 {
		return nil
	}
	current := func(v ssa.Value) bool {
		return slices.ContainsFunc(e.Data, func(i int) bool {
			r := f.Events[i]
			return r.Loc == e.Loc && r.Base == e.Base && r.Key == e.Key && slices.Contains(r.Values, v)
		})
	}
	switch in := e.Inputs[0].(type) {
	case *ssa.BinOp:
		switch {
		case in.Op == token.ADD && current(in.X):
			return []ssa.Value{in.Y}
		case in.Op == token.ADD && current(in.Y):
			return []ssa.Value{in.X}
		}
	case *ssa.Call:
		if b, ok := in.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" && current(in.Call.Args[0]) {
			return in.Call.Args[1:]
		}
	}
	return nil
}

// addedParams returns the parameters of f that e adds to what is there.
func (p *Summaries) addedParams(f *Body, e *Event) uint32 {
	var set uint32
	for i, prm := range f.Fn.Params {
		if i < fact.MaxParams && mayBeNumber(prm) && slices.ContainsFunc(e.Added, func(v ssa.Value) bool { return p.partOf(f, v, prm) }) {
			set |= 1 << i
		}
	}
	return set
}

func (p *Summaries) partOf(f *Body, v, prm ssa.Value) bool {
	if ssautil.IsNumber(v.Type()) {
		return depgraph.Grows(v, []ssa.Value{prm})
	}
	return f.Slice(v).Has(prm)
}

// Adds reports whether to add v is to add one of the given values: a number grows
// with it, and something larger has a number in it that was computed so.
func (f *Body) Adds(v ssa.Value, of []ssa.Value) bool {
	if ssautil.IsNumber(v.Type()) {
		return depgraph.Grows(v, of)
	}
	return slices.ContainsFunc(f.Slice(v), func(part ssa.Value) bool {
		sum, ok := part.(*ssa.BinOp)
		return ok && ssautil.IsNumber(sum.Type()) && depgraph.Grows(sum, of)
	})
}

// mayBeNumber is isNumber for a function that may be generic.
func mayBeNumber(v ssa.Value) bool {
	_, open := types.Unalias(v.Type()).(*types.TypeParam)
	return open || ssautil.IsNumber(v.Type())
}
