package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/summary"
)

// keepsPresent: all that was asked is whether the element is there, and the rival puts a value in its
// place.
//
//	if err := s.check(k); err != nil { return err } // fails if s.balance has no k
//	s.mu.Lock(); s.entries = append(s.entries, entry{k, n}); s.mu.Unlock()
//	s.mu.Lock(); s.balance[k] += n; s.mu.Unlock()
func (r rival) keepsPresent() bool {
	c, w := r.candidate, r.writer
	return w.Part && w.Effect != summary.Removes && w.Const != "nil" && !c.data && !c.comparesValue() && c.d.f.HasFound(c.read, c.act.Instr.Block())
}

// keepsAbsent: a list was searched for an element that is not there, and the rival only takes elements
// out of it.
//
//	for _, id := range s.doomed {
//		if id == f.id { return errDoomed }
//	}
//	s.mu.Lock(); s.doomed = append(s.doomed, f.id); s.mu.Unlock() // others set doomed to nil
func (r rival) keepsAbsent() bool {
	return (r.writer.Effect == summary.Removes || r.writer.Const == "nil") && !r.candidate.data && r.candidate.hasSearched()
}

// hasSearched reports whether the list that was read decides about the act by a search that has not found
// an equal element.
func (c *candidate) hasSearched() bool {
	conds, branches := c.conditions(), c.d.f.Branches(c.act)
	if slices.ContainsFunc(conds, func(cond ssa.Value) bool { return !asksForNext(cond) }) {
		return false
	}
	leaves := func(br *ssa.If) bool {
		return !slices.Contains(conds, br.Cond) && c.comesOneWay(br) && slices.ContainsFunc(branches, func(head *ssa.If) bool {
			return slices.Contains(conds, head.Cond) && c.d.f.Paths().Reaches(br, head)
		})
	}
	searched := false
	for _, br := range branches {
		if !leaves(br) {
			continue
		}
		differs := branch.Side(br.Cond, func(is branch.Fact) bool {
			return is.Relation == branch.Differs && is.Other != nil && (c.isOfElement(is.Subject) || c.isOfElement(is.Other))
		})
		if differs < 0 || !c.d.only(br, differs, c.act.Instr.Block()) {
			return false
		}
		searched = true
	}
	return searched
}

// isOfElement reports whether v is an element of the list that was read, or a field of one.
func (c *candidate) isOfElement(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	addr := load.X
	if field, ok := addr.(*ssa.FieldAddr); ok {
		addr = field.X
		if of, ok := addr.(*ssa.UnOp); ok {
			addr = of.X
		}
	}
	elem, ok := addr.(*ssa.IndexAddr)
	return ok && slices.Contains(c.read.Values, elem.X)
}
