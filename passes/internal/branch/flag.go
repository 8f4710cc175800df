package branch

import (
	"go/constant"

	"golang.org/x/tools/go/ssa"
)

// Decided returns the condition that a flag is set by, and whether that holds if the flag is true,
// or false: the flag is a phi of the two constants, one for each side of a branch. It returns other
// conditions as they are.
//
//	found := false
//	if len(list) > 0 { first, found = list[0], true }
//	if found { … } // len(list) > 0
func Decided(cond ssa.Value, holds bool) (ssa.Value, bool) {
	f := Alone(cond, holds)
	phi, ok := f.Subject.(*ssa.Phi)
	if !ok || !f.True() && !f.False() {
		return cond, holds
	}
	if br, side := chosenBy(phi); br != nil {
		return br.Cond, f.True() == (side == 0)
	}
	return cond, holds
}

// chosenBy returns the branch whose two successors give the phi its two constants, and the successor,
// 0 or 1, on which the phi is true.
func chosenBy(phi *ssa.Phi) (br *ssa.If, side int) {
	b := phi.Block()
	if len(phi.Edges) != 2 || b.Idom() == nil {
		return nil, 0
	}
	br, ok := b.Idom().Instrs[len(b.Idom().Instrs)-1].(*ssa.If)
	one, two := constantEdge(phi, 0), constantEdge(phi, 1)
	if !ok || one == nil || two == nil || *one == *two {
		return nil, 0
	}
	if !*one {
		side = 1
	}
	first, second := sideOf(br, b.Preds[0], b), sideOf(br, b.Preds[1], b)
	if first < 0 || second < 0 || first == second {
		return nil, 0
	}
	if first == 1 {
		side = 1 - side
	}
	return br, side
}

// constantEdge returns the constant on an edge of a phi of booleans, or nil.
func constantEdge(phi *ssa.Phi, i int) *bool {
	c, ok := phi.Edges[i].(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Bool {
		return nil
	}
	value := constant.BoolVal(c.Value)
	return &value
}

// sideOf is Taken for the edge from pred to b.
func sideOf(br *ssa.If, pred, b *ssa.BasicBlock) int {
	for side, succ := range br.Block().Succs {
		if pred == br.Block() && succ == b {
			return side
		}
	}
	return Taken(br, pred)
}

// Taken returns the successor of a branch, 0 or 1, that dominates a block and has no predecessor but
// the branch, or -1.
func Taken(br *ssa.If, b *ssa.BasicBlock) int {
	for side, succ := range br.Block().Succs {
		if len(succ.Preds) == 1 && succ.Dominates(b) {
			return side
		}
	}
	return -1
}
