package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A branch is a detour if the act is reachable from both of its sides, and control dependent on it only
// through a test of an error that a call on one side returns. The act depends on that error, and not on
// what was read. The act does not depend on the condition of a range loop before it either.
//
//	if s.dirty() {
//		if err := flush(); err != nil { return err }
//	}
//	for _, sub := range s.Subs() {
//		if err := sub.Verify(to); err != nil { return err }
//	}
//	s.mu.Lock(); s.cfg = to; s.mu.Unlock()

// isDetour reports whether all branches on a condition make a detour.
func (c *candidate) isDetour(cond ssa.Value) bool {
	detour := false
	for _, br := range c.d.f.Branches(c.act) {
		if br.Cond != cond {
			continue
		}
		if !c.endsLoop(br) && c.comesOneWay(br) || c.turnsAway(cond) {
			return false
		}
		detour = true
	}
	return detour
}

// endsLoop reports whether a branch is at the head of a range loop, which the act comes after.
func (c *candidate) endsLoop(br *ssa.If) bool {
	return asksForNext(br.Cond) && c.d.only(br, 1, c.act.Instr.Block()) && c.d.f.Paths().Reaches(br.Block().Succs[0].Instrs[0], br)
}

// asksForNext reports whether a condition is that of a range loop over a list or a table.
func asksForNext(cond ssa.Value) bool {
	switch cond := cond.(type) {
	case *ssa.BinOp:
		length, ok := cond.Y.(*ssa.Call)
		if !ok || cond.Op != token.LSS {
			return false
		}
		return ssautil.Builtin(&length.Call) == "len"
	case *ssa.Extract:
		_, next := cond.Tuple.(*ssa.Next)
		return next && cond.Index == 0
	}
	return false
}

// turnsAway reports whether a branch that is control dependent on a condition keeps control from the act,
// and asks for something else than an error. Branches on all ways to the act are no part of the detour.
func (c *candidate) turnsAway(cond ssa.Value) bool {
	return slices.ContainsFunc(c.d.f.Branches(c.act), func(br *ssa.If) bool {
		return br.Cond != cond && !asksForNext(br.Cond) && !asksForError(br.Cond) && c.comesOneWay(br) &&
			c.d.f.DecidedBy(br.Block(), map[ssa.Value]bool{cond: true}) && !c.d.f.Order().MustPass(c.read.Instr, br, c.act.Instr)
	})
}

// comesOneWay reports whether the act is reachable from one side of a branch only, on paths that do not
// pass the branch or the read again.
func (c *candidate) comesOneWay(br *ssa.If) bool {
	at := c.act.Instr.Block()
	return c.d.only(br, 0, at) || c.d.only(br, 1, at) || slices.ContainsFunc(br.Block().Succs, func(to *ssa.BasicBlock) bool {
		return to != at && !c.d.f.Order().Exists(summary.Way{From: to.Instrs[0], To: at.Instrs[0], Avoid: c.read.Instr})
	})
}

func asksForError(cond ssa.Value) bool {
	err := branch.Alone(cond, true).Subject
	return err != nil && ssautil.IsError(err.Type())
}
