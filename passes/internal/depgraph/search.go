package depgraph

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// IsSearch reports whether v is an index that was found by a look at the elements of a container, here or in a callee. A length is none.
//
//	for i := range list { if list[i].name == name { return i } }
//	return slices.Index(list, name)
func IsSearch(v ssa.Value) bool { return isSearch(v, 0) }

func isSearch(v ssa.Value, depth int) bool {
	switch x := v.(type) {
	case *ssa.Phi:
		return depth < limit.FuncValueSteps && slices.ContainsFunc(x.Edges, func(e ssa.Value) bool { return e != v && isSearch(e, depth+1) })
	case *ssa.Call:
		fn := ssautil.Generic(ssautil.Target(&x.Call))
		if fn == nil || depth >= limit.FuncValueSteps || !ssautil.IsNumber(x.Type()) {
			return false
		}
		if fn.Blocks == nil {
			return slices.ContainsFunc(x.Call.Args, func(a ssa.Value) bool { return IsContainer(a.Type()) })
		}
		return slices.ContainsFunc(ssautil.Returns(fn), func(r *ssa.Return) bool { return isSearch(ssautil.Returned(r, 0), depth+1) })
	}
	return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
		at, ok := use.(*ssa.IndexAddr)
		return ok && at.Index == v && len(*at.Referrers()) > 0
	})
}
