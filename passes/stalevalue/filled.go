package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// onlyFills: nothing was there, the act puts something, and so do all others who write the location:
// each of them fills the place if it is empty, or they make room.
//
//	re := c.get(expr)
//	if re == nil {
//		re = compile(expr)
//		c.put(expr, re)
//	}
//	return re
//
// Of two goroutines that find nothing the second one puts its value in the place of the first. It
// need not be an equal one: a place that nobody updates keeps whatever was put there, for good or until it is
// evicted, so that the order of two fills tells nothing. Two values do harm if they are told apart: see
// isExchangeable. And who finds something has to take that: else the place is a mark of what has been done.
func (c *candidate) onlyFills() bool {
	w := c.act
	if w.Op&(summary.Delete|summary.Content) != 0 || w.Const != "" || len(w.Inputs) == 0 || c.waits() || !c.foundNothing() && !c.toldNothing() || !c.testsPresence() || !c.takesFound() {
		return false
	}
	if c.hasOtherWrites(c.isOwnWrite) || c.hasUnusedEffects() || c.isNumbered() || !c.d.isExchangeable(w) && !(c.d.isInert(w) && c.d.isDeterministic(w)) {
		return false
	}
	// A writer that leaves the place empty does not undo what was found, but the value may be older than that,
	// unless it is always the same.
	fixed := c.d.isDeterministic(w)
	return !c.anyRival(func(r rival) bool {
		return !c.isFill(r.writer) && !c.evicts(r.writer) && !(fixed && empties(r.writer)) && r.isConcurrent() && !r.needsHeld() && !r.isConfined()
	})
}

// takesFound reports whether the function uses the value that it has found, and not only its presence: it
// returns it, looks into it, gives it to a callee or decides by it.
func (c *candidate) takesFound() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Op&summary.Presence == 0 && sameCell(e, c.act) && (e == c.read || summary.SharePassage(e, c.read)) && c.isUsed(e)
	})
}

func (c *candidate) isUsed(e *summary.Event) bool {
	values := slices.DeleteFunc(slices.Clone(e.Values), isFlagValue)
	if c.d.f.Dereference(e) != nil || c.isGiven(values) {
		return true
	}
	for br := range c.d.f.BranchesOn(values) {
		if !isPresence(br.Cond, e) {
			return true
		}
	}
	return slices.ContainsFunc(ssautil.Returns(c.d.f.Fn), func(ret *ssa.Return) bool {
		for i := range ret.Results {
			if v := ssautil.Returned(ret, i); !ssautil.IsError(v.Type()) && c.d.f.Slice(v).HasAny(values) {
				return true
			}
		}
		return false
	})
}

// isGiven reports whether one of the values, or another one in its place, is an argument of a call but the act.
func (c *candidate) isGiven(values []ssa.Value) bool {
	for _, b := range c.d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if ok && instr != c.act.Instr && slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool {
				return !slices.ContainsFunc(values, func(v ssa.Value) bool { return v == ssa.Value(call) }) && c.d.f.Slice(arg).HasAny(values)
			}) {
				return true
			}
		}
	}
	return false
}

// isOwnWrite reports whether a write is to another variable of the package, is made where nothing was found, and
// is no part of the look-up nor of the computation of what the act puts. That something is counted does not matter
// if nobody goes by the count.
func (c *candidate) isOwnWrite(e *summary.Event) bool {
	v, ok := e.Instr.(ssa.Value)
	part := e.Ord == c.read.Ord || e.Ord == c.act.Ord && e.Loc == c.act.Loc || ok && c.d.f.Slice(c.act.Inputs[0]).Has(v)
	if part || e.Delta() && c.d.isStatistic(e.Loc) {
		return false
	}
	return !e.Base.IsLocal() && e.Loc.Pkg() == c.d.pass.Pkg.Path() && c.d.f.DecidedBy(e.Instr.Block(), c.conditionSet())
}

// hasUnusedEffects reports whether the function has a visible effect, as it has decided, that is no part of the
// computation of what it puts.
func (c *candidate) hasUnusedEffects() bool {
	value := c.d.f.Slice(c.act.Inputs[0])
	return c.hasEffects(func(instr ssa.Instruction) bool {
		v, ok := instr.(ssa.Value)
		return isVisible(instr) && !(ok && value.Has(v))
	})
}

// isFill reports whether a writer is the act, and only that: its function is called by no other than the one
// that has looked.
func (c *candidate) isFill(w *summary.Writer) bool {
	if c.act.Callee == nil {
		return c.isAct(w)
	}
	return w.Fn >= 0 && c.act.Callee.Accesses[c.act.Index].Pos.Text == w.Pos.Text && c.d.pkg.OnlyReachedBy(c.d.pkg.Funcs[w.Fn], c.d.f)
}

// evicts reports whether a writer removes elements that it has found by going through the container.
func (c *candidate) evicts(w *summary.Writer) bool {
	return w.Fn >= 0 && w.Effect == summary.Removes && slices.ContainsFunc(c.d.pkg.Funcs[w.Fn].Events, func(e *summary.Event) bool {
		return e.Pos.Pos == w.Pos.Pos && e.Loc == c.act.Loc && e.Op&summary.Delete != 0 && (e.Key.HasAny() || e.Key.Path().IsLocal())
	})
}
