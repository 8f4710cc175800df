package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// transfers: the act turns into a use what the section of the read has reserved. The test adds up
// both, so that in between the reservation stands for the use, and the act leaves the sum as it is.
//
//	s.mu.Lock()
//	if s.used+s.reserved+n > s.limit { s.mu.Unlock(); return errFull }
//	s.reserved += n
//	s.mu.Unlock()
//	…
//	s.mu.Lock(); s.reserved -= n; s.used += n; s.mu.Unlock()
//
// What else is decided is decided by a test that holds as long as the reservation does.
func (c *candidate) transfers() bool {
	order := c.d.f.Order()
	return slices.ContainsFunc(c.d.f.Events, func(reserve *summary.Event) bool {
		amount := addend(reserve, token.ADD)
		if amount == nil || c.sameCell() && addend(c.act, token.ADD) != amount || reserve.Loc == c.read.Loc || !related(reserve.Base, c.read.Base) ||
			!c.d.oneSection(c.read, reserve) || !order.MustPass(c.read.Instr, reserve.Instr, c.act.Instr) || !c.addsUp(reserve) {
			return false
		}
		return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
			return sameCell(e, reserve) && addend(e, token.SUB) == amount && summary.SharePassage(e, c.act) && c.d.oneSection(e, c.act)
		})
	})
}

// addsUp reports whether each test of what was read that decides about the act also depends on the
// variable of another write, as read in the same section.
func (c *candidate) addsUp(w *summary.Event) bool {
	conds := c.conditions()
	return len(conds) > 0 && !slices.ContainsFunc(conds, func(cond ssa.Value) bool {
		slice := c.d.f.Slice(cond)
		return !slices.ContainsFunc(c.d.f.Events, func(r *summary.Event) bool {
			return r.Reads() && sameCell(r, w) && summary.SharePassage(r, c.read) && slice.HasAny(r.Values)
		})
	})
}

// addend returns the value that a write of the function adds to, or subtracts from, what is there,
// nil if it does something else.
func addend(e *summary.Event, op token.Token) ssa.Value {
	if !e.Writes() || !e.Delta() || e.Callee != nil || len(e.Inputs) == 0 {
		return nil
	}
	sum, ok := e.Inputs[0].(*ssa.BinOp)
	if !ok || sum.Op != op {
		return nil
	}
	return sum.Y
}
