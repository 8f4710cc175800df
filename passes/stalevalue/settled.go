package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

func (d *detector) comesAround(s *stale) bool {
	k := flowKey{from: s.read.Instr, to: s.act.Instr, forward: true}
	if !s.guard.Inner {
		k.guard = s.guard.Path
	}
	return !d.search(k)
}

func (d *detector) settled(s *stale) bool {
	if !s.info.InsertOnly && s.info.Latch == "" {
		return false
	}
	settled := false
	for _, br := range d.pkg.Branches(s.act) {
		if !anyIn(d.pkg.Slice(d.f, br.Cond), s.read.Values) {
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

func (d *detector) only(br *ssa.If, side int, b *ssa.BasicBlock) bool {
	other := br.Block().Succs[1-side]
	return other != b && !d.search(flowKey{from: other.Instrs[0], to: b.Instrs[0], avoid: br})
}
