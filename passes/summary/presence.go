package summary

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
)

// asksPresence reports whether an element that f looks up is asked whether it is there:
// who asks can bear that it is not.
func (f *SumFunc) asksPresence(e *Event) bool {
	if e.Key == "" || !e.Reads() || e.Writes() {
		return false
	}
	for br := range depgraph.Branches(f.Fn) {
		if AbsentSide(br.Cond, e) >= 0 {
			return true
		}
	}
	return false
}

// AbsentSide returns the successor of a branch on cond that is taken if what e
// looked up is not there, or nil, or -1 if the condition does not tell.
func AbsentSide(cond ssa.Value, e *Event) int {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if side := AbsentSide(c.X, e); c.Op == token.NOT && side >= 0 {
			return 1 - side
		}
	case *ssa.BinOp:
		k, ok := c.Y.(*ssa.Const)
		if !ok || !k.IsNil() || !slices.Contains(e.Values, c.X) {
			return -1
		}
		switch c.Op {
		case token.EQL:
			return 0
		case token.NEQ:
			return 1
		}
	case *ssa.Extract:
		if c.Index > 0 && slices.Contains(e.Values, cond) {
			return 1
		}
	}
	return -1
}
