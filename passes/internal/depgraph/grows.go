package depgraph

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Grows reports whether the number v is monotone in one of the given values: v is
// computed from it by additions and multiplications, or as the left operand of a
// subtraction or division; or it is the length of one of them.
func Grows(v ssa.Value, of []ssa.Value) bool {
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if slices.Contains(of, v) {
			return true
		}
		if seen[v] {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.BinOp:
			switch v.Op {
			case token.ADD, token.MUL:
				return visit(v.X) || visit(v.Y)
			case token.SUB, token.QUO:
				return visit(v.X)
			}
		case *ssa.Convert:
			return visit(v.X)
		case *ssa.ChangeType:
			return visit(v.X)
		case *ssa.Phi:
			return slices.ContainsFunc(v.Edges, visit)
		case *ssa.Call:
			return ssautil.Builtin(&v.Call) == "len" && visit(v.Call.Args[0])
		}
		return false
	}
	return visit(v)
}
