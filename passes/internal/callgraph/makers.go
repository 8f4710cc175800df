package callgraph

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A made function result is an object that the function has allocated and that nobody else
// has a reference to. What the caller stores in its fields belongs to its construction, so that
// fields that are written in no other way never change after publication, as in copy-on-write:
//
//	m := clone(r.state.Load())
//	m.cpu = v
//	r.state.Store(m)

// findMakers computes the results that are new objects: the least fixpoint over the static
// calls of the package.
func (p *Graph) findMakers() {
	for changed := true; changed; {
		changed = false
		for _, f := range p.Funcs {
			results := f.Fn.Signature.Results()
			for i := range results.Len() {
				if r := (madeResult{f.Fn, i}); !p.makers[r] && ssautil.IsReference(results.At(i).Type()) && p.makes(r) {
					p.makers[r] = true
					changed = true
				}
			}
		}
	}
}

// makes reports whether each return has a new object of its own, or nil, as the result.
func (p *Graph) makes(r madeResult) bool {
	found := false
	for _, ret := range ssautil.Returns(r.fn) {
		v := ssautil.Returned(ret, r.i)
		if c, ok := v.(*ssa.Const); ok && c.IsNil() {
			continue
		}
		if !p.isMade(v) || !staysHere(v) {
			return false
		}
		found = true
	}
	return found
}

// isMade reports whether v is a new object, or the made result of a call.
func (p *Graph) isMade(v ssa.Value) bool {
	if _, ok := v.(*ssa.Alloc); ok {
		return true
	}
	call, i := ssautil.CallOf(v)
	if call == nil || call.Call.StaticCallee() == nil {
		return false
	}
	g := p.source(call.Call.StaticCallee())
	return g != nil && p.makers[madeResult{g.Fn, i}]
}

// IsMade reports whether v is the address of an object, or of a part of it, that its function
// or a callee of that has allocated.
func (p *Graph) IsMade(v ssa.Value) bool {
	whole := ssautil.Whole(v)
	return p.isMade(whole) || p.isCaptured(whole)
}

// isCaptured reports whether v is a new object in a variable that holds nothing else, and is a
// variable in memory because literals capture it, which run while the function calls them.
//
//	t := new(table)
//	sort.Slice(t.rows, func(i, j int) bool { return t.rows[i].key < t.rows[j].key })
//	t.index = build(t.rows)
func (p *Graph) isCaptured(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	variable, ok := load.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	stores := 0
	for _, use := range *variable.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if stores++; use.Addr != variable || !p.isMade(use.Val) {
				return false
			}
		case *ssa.MakeClosure:
			if !p.runsNow(use) {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return false
		}
	}
	return stores == 1
}

// runsNow reports whether a literal is called, or is an argument of calls that call it, and nothing else.
func (p *Graph) runsNow(mc *ssa.MakeClosure) bool {
	return !slices.ContainsFunc(*mc.Referrers(), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.Call:
			return use.Call.Value != mc && p.ArgumentKind(use) != fact.Called
		case *ssa.DebugRef:
			return false
		}
		return true
	})
}

// staysHere reports whether the uses of a new object other than its return give nobody else a
// reference to it.
func staysHere(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		_, isCall := use.(*ssa.Call)
		return isCall || publishes(use, v)
	})
}

// publishes reports whether an instruction, other than a call of a function of the package, may leave a reference to v where
// others find it.
func publishes(use ssa.Instruction, v ssa.Value) bool {
	switch use := use.(type) {
	case *ssa.FieldAddr, *ssa.DebugRef, *ssa.BinOp, *ssa.UnOp, *ssa.Return:
		return false
	case *ssa.Store:
		return use.Addr != v
	case *ssa.Call:
		return use.Call.Value == v || use.Call.StaticCallee() == nil
	}
	return true
}
