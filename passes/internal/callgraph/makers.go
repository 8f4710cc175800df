package callgraph

import (
	"slices"

	"golang.org/x/tools/go/ssa"

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
	i := 0
	if e, ok := v.(*ssa.Extract); ok {
		v, i = e.Tuple, e.Index
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		return true
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil {
			g := p.source(fn)
			return g != nil && p.makers[madeResult{g.Fn, i}]
		}
	}
	return false
}

// IsMade reports whether v is the address of an object, or of a part of it, that its function
// or a callee of that has allocated.
func (p *Graph) IsMade(v ssa.Value) bool {
	return p.isMade(ssautil.Whole(v))
}

// staysHere reports whether the uses of a new object other than its return give nobody else a
// reference to it.
func staysHere(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.FieldAddr, *ssa.DebugRef, *ssa.BinOp, *ssa.UnOp, *ssa.Return:
			return false
		case *ssa.Store:
			return use.Addr != v
		}
		return true
	})
}
