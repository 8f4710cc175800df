package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
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
// Of two goroutines that miss, the second overwrites the value of the first. The two need not be equal: a location
// with no other writers keeps the value of any fill, for good or until its eviction, so that either order of the
// fills is serializable. The overwrite is harmful if the values have an identity, see isExchangeable, or are drawn by chance, see isDrawn, or if a
// goroutine that hits does not use the value: then the element is a claim.
func (c *candidate) onlyFills() bool {
	w := c.act
	if w.Op&(summary.Delete|summary.Content) != 0 || w.Const != "" || len(w.Inputs) == 0 || c.waits() || !c.foundNothing() && !c.toldNothing() || !c.testsPresence() || !c.takesFound() {
		return false
	}
	fixed := c.d.isDeterministic(w)
	if c.hasOtherWrites(c.ownWrites()) || c.hasUnusedEffects() || c.isNumbered() || !c.d.isExchangeable(w) && !(fixed && c.d.isInert(w)) || c.d.isDrawn(w) {
		return false
	}
	// An invalidation leaves the miss valid, but the value may be older than it, unless the computation is
	// deterministic.
	return !c.anyRival(func(r rival) bool {
		return !c.isFill(r.writer) && !c.evicts(r.writer) && !(fixed && empties(r.writer)) && !c.d.makesContainer(r.writer) && r.isConcurrent() && !r.needsHeld() && !r.isConfined() && !r.wouldRace()
	})
}

// takesFound reports whether the function uses the value that it has found, and not only its presence: it
// returns it, looks into it, gives it to a callee or decides by it.
func (c *candidate) takesFound() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Op&summary.Presence == 0 && (e == c.read || sameCell(e, c.act) && summary.SharePassage(e, c.read)) && c.isUsed(e)
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

// ownWrites returns a function that reports whether a write is to another location of the package, is control
// dependent on the miss, and is no part of the look-up nor of the computation of the value. A time stamp, and a statistic, which
// decides no branch, do not count.
func (c *candidate) ownWrites() func(*summary.Event) bool {
	conds, value := c.conditionSet(), c.d.f.Slice(c.act.Inputs[0])
	return func(e *summary.Event) bool {
		v, ok := e.Instr.(ssa.Value)
		part := e.Ord == c.read.Ord || e.Ord == c.act.Ord && e.Loc == c.act.Loc || ok && value.Has(v)
		if part || e.Delta() && c.d.isStatistic(e.Loc) || c.d.isStamp(e.Loc) {
			return false
		}
		return !e.Base.IsLocal() && c.d.isOfPackage(e) && c.d.f.DecidedBy(e.Instr.Block(), conds)
	}
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
	return w.Fn >= 0 && c.makesAct(w) && c.d.pkg.Processes().OnlyReachedBy(c.d.pkg.Funcs[w.Fn], c.d.f)
}

// evicts reports whether a writer removes elements that it has found by going through the container, or compares the element with a value of its
// own and removes only an equal one, so that a newer value stays. The value of the fill must be the result of a call: an argument may be the
// identity of the caller, and the element its claim.
//
//	if s.hints[key] == tried { delete(s.hints, key) }
func (c *candidate) evicts(w *summary.Writer) bool {
	if w.Effect != summary.Removes {
		return false
	}
	f, e := c.d.pkg.WriteOf(w)
	return e != nil && e.Loc == c.act.Loc && e.Op&summary.Delete != 0 && (e.Key.HasAny() || e.Key.Path().IsLocal() || isAnswer(put(c.act)) && removesTried(f, e))
}

// isAnswer reports whether v is a result of a call.
func isAnswer(v ssa.Value) bool {
	call, _ := ssautil.CallOf(v)
	return call != nil
}

// removesTried reports whether a removal is decided, in its section, by the element being equal to a value that f has.
func removesTried(f *summary.Func, w *summary.Event) bool {
	if w.Op&summary.Compare != 0 {
		return true // CompareAndDelete
	}
	for is := range branch.At(w.Instr.Block()) {
		if is.Relation == branch.Equal && is.Other != nil && slices.ContainsFunc(f.Events, func(r *summary.Event) bool {
			return r.Reads() && sameCell(r, w) && sameElement(r, w) && summary.SharePassage(r, w) && (slices.Contains(r.Values, is.Subject) || slices.Contains(r.Values, is.Other))
		}) {
			return true
		}
	}
	return false
}

// makesContainer reports whether a writer puts an empty map where its section has found none, which changes no element.
//
//	if s.m == nil { s.m = make(map[string]int) }
func (d *detector) makesContainer(writer *summary.Writer) bool {
	f, w := d.pkg.WriteOf(writer)
	if w == nil || w.Callee != nil || len(w.Inputs) == 0 {
		return false
	}
	made, ok := w.Inputs[0].(*ssa.MakeMap)
	if !ok || slices.ContainsFunc(ssautil.Uses(made), func(use ssa.Instruction) bool { return f.Order().Flows(use, w.Instr) }) {
		return false // it has been filled
	}
	return slices.ContainsFunc(f.DirectBranches(w.Instr.Block()), func(br *ssa.If) bool {
		side := branch.Taken(br, w.Instr.Block())
		if side < 0 {
			return false
		}
		found := branch.Alone(br.Cond, side == 0)
		return found.Nil() && slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
			return e.Reads() && sameCell(e, w) && slices.Contains(e.Values, found.Subject) && summary.SharePassage(e, w)
		})
	})
}

// isStatistic reports whether nothing is decided by a counter.
func (d *detector) isStatistic(l accesspath.Location) bool {
	return !d.anyRead(l, func(f *summary.Func, e *summary.Event) bool { return f.DecidesBranch(e.Values) })
}

// isNumbered reports whether the function takes something for the value that no other value has, such as the
// next number.
func (c *candidate) isNumbered() bool {
	slice := c.d.f.Slice(c.act.Inputs[0])
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool { return e.Reads() && e.Writes() && slice.HasAny(e.Values) })
}
