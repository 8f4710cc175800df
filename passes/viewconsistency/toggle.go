package viewconsistency

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/summary"
)

// A flag rules a variable if others test the flag before they write the variable. To switch
// the flag and to clear the variable is one update. In two sections it is wrong if the flag
// can be switched back in between: what was written since then is lost.
//
//	b.setOpen(open)
//	if !open {
//		b.clear() // another goroutine may have opened again, and a third joined
//	}
//
// It is right if the flag is never cleared: nobody writes what it rules any more.

// toggles reports whether the first write switches a flag that rules the second variable,
// and the value that it stores decides about the second write.
func (c *candidate) toggles() bool {
	return c.decidesSecond() && c.d.pkg.Location(c.first.Loc).Latch == "" && c.isRuled() && c.hasToggler()
}

// decidesSecond reports whether the second write depends on a test of the value that the
// first stores.
func (c *candidate) decidesSecond() bool {
	if len(c.first.Inputs) != 1 {
		return false
	}
	stored := branch.Plain(c.first.Inputs[0])
	if _, basic := stored.Type().Underlying().(*types.Basic); !basic {
		return false
	}
	return slices.ContainsFunc(c.d.f.Branches(c.second), func(br *ssa.If) bool {
		return branch.Side(br.Cond, func(f branch.Fact) bool {
			return f.Subject == stored && f.Relation == branch.Equal && f.Const != nil && !f.False()
		}) >= 0
	})
}

// isRuled reports whether the function with the view tests the first variable, in the
// section in which it writes the second.
func (c *candidate) isRuled() bool {
	if c.view == nil {
		return true // some view may be such
	}
	if c.view.Fn < 0 {
		return false
	}
	events := c.d.pkg.Funcs[c.view.Fn].Events
	return slices.ContainsFunc(events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc == c.second.Loc && slices.ContainsFunc(w.Control, func(i int) bool {
			return events[i].Loc == c.first.Loc && events[i].Reads() && summary.SharePassage(events[i], w)
		})
	})
}

// hasToggler reports whether the flag may be written between the two writes.
func (c *candidate) hasToggler() bool {
	held := c.d.f.HeldThrough(c.first, c.second)
	writers := c.d.pkg.Location(c.first.Loc).Writers
	return slices.ContainsFunc(writers, func(w summary.Writer) bool {
		return !w.Needs(held) && c.d.pkg.Processes().Concurrent(c.d.f, c.first.Base, &w)
	})
}

// shutOff: the first write sets a flag that is never cleared, and the code with the view does what it
// does with the second variable only while the flag has not been set.
//
//	b.mu.Lock(); b.closed = true; b.mu.Unlock()
//	b.clear() // whoever joins has seen that it is closed
func (c *candidate) shutOff() bool {
	latch := c.d.pkg.Location(c.first.Loc).Latch
	if latch == "" || c.first.Const != latch || c.view == nil || c.view.Fn < 0 {
		return false
	}
	f := c.d.pkg.Funcs[c.view.Fn]
	used := false
	for _, e := range f.Events {
		if e.Loc != c.second.Loc || e.Callee != nil || e.Within != nil {
			continue
		}
		used = true
		if !slices.ContainsFunc(f.Branches(e), func(br *ssa.If) bool { return c.asksLatch(f, br, e) }) {
			return false
		}
	}
	return used
}

// freedLast: what is written last, or by a deferred call, gives up the claim of an element without which the code with the view
// writes neither of the two.
//
//	func (c *cache) next() *tile { … if t.dirty && !t.busy { t.busy, t.dirty = true, false; return t } }
//
//	defer c.release(t) // t.busy = false
//	if err := paint(t); err != nil {
//		c.retry(t) // t.dirty = true: next has nothing to do with the tile until it is released
//	}
func (c *candidate) freedLast() bool {
	flag, other := c.second, c.first
	if _, deferred := c.first.Instr.(*ssa.Defer); deferred {
		flag, other = other, flag
	}
	if flag.Const == "" || c.view == nil || c.view.Fn < 0 {
		return false
	}
	f := c.d.pkg.Funcs[c.view.Fn]
	free := func(value string) bool { return value == flag.Const }
	claims := false
	for _, e := range f.Events {
		if !e.Writes() || e.Loc != flag.Loc && e.Loc != other.Loc {
			continue
		}
		if !slices.ContainsFunc(f.Branches(e), func(br *ssa.If) bool { return asksFlag(f, br, e, flag.Loc, free) }) {
			return false
		}
		claims = claims || e.Loc == flag.Loc && e.Const != "" && e.Const != flag.Const && len(e.Base.Keys()) > 0
	}
	return claims
}

// asksLatch reports whether a branch of f excludes that the flag has been set, in the
// section of e and on the side that leads there.
func (c *candidate) asksLatch(f *summary.Func, br *ssa.If, e *summary.Event) bool {
	latch := c.d.pkg.Location(c.first.Loc).Latch
	return asksFlag(f, br, e, c.first.Loc, func(value string) bool { return value != latch })
}

// asksFlag reports whether a branch of f finds that a flag has a certain value, in the section of e and on the side that leads there.
func asksFlag(f *summary.Func, br *ssa.If, e *summary.Event, flag accesspath.Location, is func(value string) bool) bool {
	return slices.ContainsFunc(f.Events, func(test *summary.Event) bool {
		if test.Loc != flag || !test.Reads() || !summary.SharePassage(test, e) {
			return false
		}
		side := branch.Side(br.Cond, func(fact branch.Fact) bool {
			return slices.Contains(test.Values, fact.Subject) && fact.Relation == branch.Equal && fact.Const != nil && is(fact.Const.ExactString())
		})
		return side >= 0 && f.OnlySide(br, e.Instr) == side
	})
}
