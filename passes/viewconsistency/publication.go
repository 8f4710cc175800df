package viewconsistency

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/summary"
)

// An atomic variable publishes another one if its value decides that the other is read: it has
// to be written last, and read first. (In the words of the memory model: what happens before
// the store is seen by who loads its value.) Written first, it lets readers in too early.
//
//	b.ready.Store(true)
//	b.conf.Store(c) // WRONG: a reader in between has an old one, or none
//
//	if b.ready.Load() { b.conf.Load().apply() }
//
// To withdraw what was published has no right order: whoever has asked before gets nil. It has
// to expect that.
//
//	b.ready.Store(false)
//	b.conf.Store(nil)

// readsPublished: both reads are single atomic operations.
func (c *candidate) readsPublished() bool {
	return c.relation == readsOfPublished && c.a.IsAtomic() && c.b.IsAtomic()
}

// publication returns where the function relies on the second of two atomic variables because
// of the first, though the function with the view has not written the second by then.
func (c *candidate) publication() summary.Join {
	s := c.d.selected(c.first, c.second)
	if s.Branch == nil || c.first.Owned() || c.testsSecond() {
		return summary.Join{}
	}
	use := s.Use
	if use == nil {
		use = s.Decided
	}
	if use == nil || c.view != nil && !c.publishesEarly(s) && !c.withdraws(s) {
		return summary.Join{}
	}
	return summary.Join{At: use, Word: summary.JoinedBySelection}
}

// publishesEarly reports whether the function with the view writes the first variable for the
// last time before the second, with a value that lets readers in.
func (c *candidate) publishesEarly(s summary.Selection) bool {
	f := c.writer()
	return f != nil && slices.ContainsFunc(f.Events, func(x *summary.Event) bool {
		if x.Loc != c.first.Loc || !isStep(x) || !c.lets(s, x) || writesAfter(f, x) {
			return false
		}
		return slices.ContainsFunc(f.Events, func(y *summary.Event) bool {
			return y.Loc == c.second.Loc && isStep(y) && !adds(y) && !oneCall(f, x, y) &&
				f.Order().Flows(x.Instr, y.Instr) && !f.Order().Flows(y.Instr, x.Instr)
		})
	})
}

// isStep reports whether a write is made by the function itself or by a callee of it. What lies
// deeper is decided on the way there.
func isStep(w *summary.Event) bool { return w.Writes() && w.Depth() <= 1 }

// oneCall reports whether one of the two writes is made by a call that writes both locations:
// their order is that of the callee.
//
//	if err := step(); err != nil {
//		s.fail(err) // s.err.Store(err); s.failed.Store(true)
//	}
//	s.fail(io.EOF)
func oneCall(f *summary.Func, x, y *summary.Event) bool {
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		return e.Writes() && (e.Ord == x.Ord && e.Loc == y.Loc || e.Ord == y.Ord && e.Loc == x.Loc)
	})
}

// adds reports whether a write only counts. A counter is not published: what it was before is a count, too.
//
//	m.entry(k).seen.Add(1) // puts a new entry into m.entries, if there is none
func adds(w *summary.Event) bool { return w.Delta() && w.Op&summary.Compare == 0 }

// writesAfter reports whether the location of x is written again after x, by the same function:
// then it tells that an update is in progress, or of several steps.
//
//	s.seq.Add(1); s.value.Store(v); s.seq.Add(1)
func writesAfter(f *summary.Func, x *summary.Event) bool {
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		return e.Loc == x.Loc && e.Writes() && e.Ord != x.Ord && f.Order().Flows(x.Instr, e.Instr)
	})
}

// withdraws reports whether the function with the view stores nil into the second variable,
// which the reader dereferences.
func (c *candidate) withdraws(s summary.Selection) bool {
	f := c.writer()
	return f != nil && c.d.f.Dereference(c.second) != nil && slices.ContainsFunc(f.Events, func(y *summary.Event) bool {
		return y.Loc == c.second.Loc && y.Writes() && y.Const == "nil"
	}) && slices.ContainsFunc(f.Events, func(x *summary.Event) bool {
		return x.Loc == c.first.Loc && x.Writes() && x.Const != "" && !c.lets(s, x)
	})
}

// writer returns the function with the view, nil for one of another package.
func (c *candidate) writer() *summary.Func {
	if c.view.Fn < 0 {
		return nil
	}
	return c.d.pkg.Funcs[c.view.Fn]
}

// lets reports whether the branch leads to the second read if the first has the value that a
// write stores; any value that is not known does.
func (c *candidate) lets(s summary.Selection, x *summary.Event) bool {
	if x.Const == "" {
		return true
	}
	refuses := func(side int) bool {
		for is := range branch.Implied(s.Branch.Cond, side == 0) {
			for f := range c.d.f.Found(c.first, is) {
				if f.Const != nil && refutes(f, x.Const) || f.NonNil() && x.Const == "nil" || f.Nil() && x.Const != "nil" {
					return true
				}
			}
		}
		return false
	}
	return !refuses(s.Side)
}

// refutes reports whether a fact excludes a constant with the given text.
func refutes(f branch.Fact, text string) bool {
	equal := f.Const.ExactString() == text
	return f.Relation == branch.Equal && !equal || f.Relation == branch.Differs && equal
}
