package viewconsistency

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/summary"
)

// Two values also belong together if the first one decides that the second is read, and
// what the second one yields has an effect: the second is taken for the partner of the
// first. If the two are changed together in between, it is that of another.
//
//	s.mu.Lock(); night := s.night; s.mu.Unlock()
//	if night { return }
//	s.printer.Load().print(doc)

// selection returns where the value that the first read has selected has its effect. A
// selection is nil if the first read has claimed what it reads, if it is final, or if the
// second section finds the answer by itself. Two atomic variables are none either: no section
// could read both, so that a reader has to live with any two values. Nor is it one that the first operation has not failed.
func (c *candidate) selection() summary.Join {
	s := c.d.selected(c.first, c.second)
	if s.Branch == nil || isFailure(s.Branch) || c.first.Owned() || c.a.IsAtomic() && c.b.IsAtomic() || c.isFinal(s) {
		return summary.Join{}
	}
	switch {
	case s.Use != nil && c.loadsOnly() && !c.testsSecond():
		return summary.Join{At: s.Use, Word: summary.JoinedBySelection}
	case s.Decided != nil && c.againstMovement():
		return summary.Join{At: s.Decided, Word: summary.JoinedBySelection}
	}
	return summary.Join{}
}

// selected caches Func.Selected.
func (d *detector) selected(first, second *summary.Event) summary.Selection {
	key := [2]*summary.Event{first, second}
	s, known := d.selections[key]
	if !known {
		s = d.f.Selected(first, second)
		d.selections[key] = s
	}
	return s
}

// selects reports whether the two values come together by selection alone.
func (c *candidate) selects() bool { return c.join().Word == summary.JoinedBySelection }

// isFinal reports whether the side of the branch says that the first variable has the only
// value that it is ever given.
//
//	if s.closed() { return s.err() }
func (c *candidate) isFinal(s summary.Selection) bool {
	info := c.d.pkg.Location(c.first.Loc)
	if info.Constant() || info.Latch == "" {
		return false
	}
	side := c.d.f.FoundSide(s.Branch.Cond, c.first, func(f branch.Fact) bool {
		return f.Relation == branch.Equal && f.Const != nil && f.Const.ExactString() == info.Latch || info.Latch == "nil" && f.Nil()
	})
	return side == s.Side
}

// loadsOnly reports whether the section of the second read has nothing but loads of that
// location, so that its answer is not decided by anything else.
//
//	s.mu.RLock(); p := s.parent; v := s.dirty[k]; s.mu.RUnlock() // decides by itself
func (c *candidate) loadsOnly() bool {
	return !slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return (e.Writes() || e.Loc != c.second.Loc) && summary.SharePassage(e, c.second)
	})
}

// testsSecond reports whether a branch tests what the second read has found: such code
// expects that it may have changed.
func (c *candidate) testsSecond() bool {
	if c.second.Tested() {
		return true
	}
	for br := range c.d.f.BranchesOn(c.second.Values) {
		if slices.Contains(c.second.Values, branch.Alone(br.Cond, true).Subject) {
			return true
		}
	}
	return false
}

// againstMovement reports whether the view moves something out of the second place, and
// into the first; any view, as long as none is known. A flag is no place for anything.
func (c *candidate) againstMovement() bool {
	return c.view == nil || c.view.Takes(c.second.Loc) && !c.view.Takes(c.first.Loc) && !isFlag(c.first)
}

// isFlag reports whether a read yields a boolean, and nothing else.
func isFlag(e *summary.Event) bool {
	return !slices.ContainsFunc(e.Values, func(v ssa.Value) bool { return !types.Identical(v.Type().Underlying(), types.Typ[types.Bool]) })
}
