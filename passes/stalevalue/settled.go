package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// comesAround reports whether the passage of the read only ends, on the way to
// the act, where a loop goes round to before the read: then the act is decided
// anew, and the read has only decided to go round.
func (d *detector) comesAround(s *stale) bool {
	k := summary.Way{From: s.read.Instr, To: s.act.Instr, Forward: true}
	if !s.guard.Inner {
		k.Guard = s.guard.Path
	}
	return !d.f.Order().Exists(k)
}

// settled reports whether the act is on the side of the decision on which what
// was read cannot change any more: an element was found in a container to which
// elements are only added, or a flag has the only value that it is ever given.
func (d *detector) settled(s *stale) bool {
	if !s.info.InsertOnly && s.info.Latch == "" {
		return false
	}
	settled := false
	for _, br := range d.pkg.Branches(s.act) {
		if !d.pkg.Slice(d.f, br.Cond).HasAny(s.read.Values) {
			continue
		}
		side := d.finalSide(br.Cond, s)
		if side < 0 || !d.only(br, side, s.act.Instr.Block()) {
			return false
		}
		settled = true
	}
	return settled
}

// finalSide returns the successor of a branch on cond that is taken if what was
// read has its final value, or -1 if the condition does not tell.
func (d *detector) finalSide(cond ssa.Value, s *stale) int {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			if side := d.finalSide(c.X, s); side >= 0 {
				return 1 - side
			}
			return -1
		}
	case *ssa.BinOp:
		k, ok := c.Y.(*ssa.Const)
		if !ok || c.Op != token.EQL && c.Op != token.NEQ || !slices.Contains(s.read.Values, c.X) {
			return -1
		}
		eq := boolInt(c.Op != token.EQL)
		text := "nil"
		if k.Value != nil {
			text = k.Value.ExactString()
		}
		switch {
		case s.info.InsertOnly && text == "nil":
			return 1 - eq
		case s.info.Latch == text:
			return eq
		case s.info.Latch != "" && text == "nil":
			return 1 - eq
		}
		return -1
	}
	if !slices.Contains(s.read.Values, cond) {
		return -1
	}
	switch d.pkg.Truth(d.f, cond) {
	case summary.Untold:
		return -1
	case summary.Negated:
		if side := d.plainSide(cond, s); side >= 0 {
			return 1 - side
		}
		return -1
	}
	return d.plainSide(cond, s)
}

// plainSide is finalSide for a flag that is what was read.
func (d *detector) plainSide(cond ssa.Value, s *stale) int {
	if _, isElement := cond.(*ssa.Extract); isElement && s.info.InsertOnly {
		return 0
	}
	switch s.info.Latch {
	case "true":
		return 0
	case "false":
		return 1
	}
	return -1
}

// only reports whether b can be reached from the branch through the given
// successor only.
func (d *detector) only(br *ssa.If, side int, b *ssa.BasicBlock) bool {
	other := br.Block().Succs[1-side]
	return other != b && !d.f.Order().Exists(summary.Way{From: other.Instrs[0], To: b.Instrs[0], Avoid: br})
}
