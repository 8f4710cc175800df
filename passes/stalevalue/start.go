package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// startsTwice: a goroutine is started because a variable was found unset, and the variable is
// set too late to keep others from the same decision: by the goroutine itself, which runs
// later,
//
//	if !s.isRunning() {
//		go func() { s.setRunning(true); … }()
//	}
//
// or it is a count of goroutines below a bound, which the goroutine raises; or a later critical section
// of the function revalidates it and sets it, and the start does not depend on the result of that.
//
//	isNew := s.get(k) == nil
//	x := s.getOrAdd(k)
//	if isNew { go s.watch(x) }
//
// Whether the goroutine does harm when it runs twice is not known: it may, unless it begins
// with a look of its own, or only takes out what there is. The variable must be known to be
// unset, or below its bound, by a comparison, so that a write is known to be the claim.
func (p *pair) startsTwice() bool {
	return p.effect.kind == starts && p.d.decides(p.read, p.act) &&
		(!p.effect.looks() && !p.claimedByCompare() && (p.claimedByStarted() || p.countedByStarted() || p.claimedLater()) || p.claimedAgain())
}

// claimedByCompare reports whether the goroutine sets what was read by a compare-and-swap, which fails in
// a second one:
//
//	if !s.running.CompareAndSwap(false, true) { return }
func (p *pair) claimedByCompare() bool {
	return slices.ContainsFunc(p.effect.started, func(s started) bool {
		return slices.ContainsFunc(s.sum.Accesses, func(a summary.Access) bool {
			return a.Op&summary.Compare != 0 && a.Loc == p.read.Loc && accesspath.Same(s.path(a.Base), p.read.Base)
		})
	})
}

// looks reports whether the goroutine tests and sets something that others test, so that a
// second one may end at once.
func (e *effect) looks() bool {
	return slices.ContainsFunc(e.started, func(s started) bool {
		return slices.ContainsFunc(s.sum.Accesses, func(a summary.Access) bool {
			return a.Op&summary.Write != 0 && a.Traits.Has(summary.Looked) && (a.Op&summary.Compare != 0 || a.Op&summary.Fixed != 0 && !isEmpty(a.Const))
		})
	})
}

// claimedByStarted reports whether the goroutine sets what was read, whatever it finds.
func (p *pair) claimedByStarted() bool {
	if !p.repeats() || p.claimsBefore() || p.claimsPlainly() || !p.d.f.Order().Exists(summary.Way{From: p.read.Instr, To: p.act.Instr}) {
		return false
	}
	return slices.ContainsFunc(p.effect.started, func(s started) bool {
		return slices.ContainsFunc(s.sum.Accesses, func(a summary.Access) bool {
			return a.Loc == p.read.Loc && accesspath.Same(s.path(a.Base), p.read.Base) && isSameKey(s.key(a.Key), p.read.Key) &&
				p.isClaim(a.Op, a.Const) && !a.Traits.Has(summary.Looked) && isUnconditional(s.sum, &a)
		})
	})
}

// countedByStarted reports whether there is room for another goroutine, and the goroutine counts itself.
//
//	s.mu.Lock(); grow := s.workers < s.limit; s.mu.Unlock()
//	if grow {
//		go func() { s.mu.Lock(); s.workers++; s.mu.Unlock(); … }()
//	}
func (p *pair) countedByStarted() bool {
	return p.repeats() && p.isBelow() && !slices.ContainsFunc(p.d.f.Events, func(w *summary.Event) bool { return w.Writes() && sameCell(w, p.read) }) &&
		p.startedCounts(func(s started, w *summary.Event) bool {
			return w.Loc == p.read.Loc && isSameKey(s.key(w.Key), p.read.Key)
		})
}

// startedCounts reports whether the goroutine raises a counter of the object that was looked at, whatever it finds, for
// which asked holds.
func (p *pair) startedCounts(asked func(started, *summary.Event) bool) bool {
	return slices.ContainsFunc(p.effect.started, func(s started) bool {
		return slices.ContainsFunc(s.f.Events, func(w *summary.Event) bool {
			return w.Delta() && len(w.Control) == 0 && accesspath.Same(s.path(w.Base), p.read.Base) && asked(s, w) && w.Effect() == summary.Raises
		})
	})
}

// startsUncounted: a goroutine is started because a flag was found clear, and counts itself where the function that
// sets the flag then asks for the count.
//
//	if s.draining() { return }
//	go func() { s.enter(); defer s.leave(); … }() // drain: s.mu.Lock(); s.stop = true; …; for s.users > 0 { … }
func (p *pair) startsUncounted() bool {
	if p.effect.kind != starts || !p.d.decides(p.read, p.act) {
		return false
	}
	drains := p.d.others.DrainsBy(p.read.Loc)
	return len(drains) > 0 && p.startedCounts(func(_ started, w *summary.Event) bool {
		return len(drains[w.Loc]) > 0
	})
}

// isBelow reports whether the act is control-dependent on the read value being below a bound.
func (p *pair) isBelow() bool {
	return slices.ContainsFunc(p.d.f.Branches(p.act), func(br *ssa.If) bool {
		test, ok := br.Cond.(*ssa.BinOp)
		if !ok {
			return false
		}
		var side int // on which the read is below the other
		switch test.Op {
		case token.LSS, token.LEQ:
			side = 0
		case token.GTR, token.GEQ:
			side = 1
		default:
			return false
		}
		if !slices.Contains(p.read.Values, test.X) {
			if !slices.Contains(p.read.Values, test.Y) {
				return false
			}
			side = 1 - side
		}
		return p.d.only(br, side, p.act.Instr.Block())
	})
}

// claimedAgain reports whether the goroutine sets what was read after a look of its own, which the
// value that another such goroutine has set passes as well.
//
//	s.mu.Lock(); idle := s.state == idle; s.mu.Unlock()
//	if idle {
//		go func() {
//			s.mu.Lock(); defer s.mu.Unlock()
//			if s.state != closed { s.state = connecting; … } // the second goroutine finds connecting
//		}()
//	}
func (p *pair) claimedAgain() bool {
	if p.read.Key != "" || !p.repeats() || p.claimsBefore() || !p.d.f.Order().Exists(summary.Way{From: p.read.Instr, To: p.act.Instr}) {
		return false
	}
	return slices.ContainsFunc(p.effect.started, func(s started) bool {
		return s.f.Flow != nil && slices.ContainsFunc(s.f.Events, func(w *summary.Event) bool {
			return w.Loc == p.read.Loc && accesspath.Same(s.path(w.Base), p.read.Base) && w.Const != "" && p.isClaim(w.Op, w.Const) && p.passesAgain(s.f, w)
		})
	})
}

// passesAgain reports whether f makes a claim although it has been made: the claim has a control
// dependence on reads of the claimed variable alone, and its value satisfies their branches.
func (p *pair) passesAgain(f *summary.Func, claim *summary.Event) bool {
	looks := false
	d := *p.d
	d.f, d.held = f, nil
	for i, e := range f.Events {
		if len(e.Holds) == 0 || !e.Reads() || !decidesFirst(f, e, claim) {
			continue
		}
		if e.Loc != claim.Loc || !accesspath.Same(e.Base, claim.Base) || e.Op&summary.Compare != 0 {
			return false // a compare-and-swap fails if the claim has been made
		}
		look := pair{d: &d, read: e, readIndex: i, act: claim, info: p.info}
		facts := look.required()
		if len(facts) == 0 || slices.ContainsFunc(facts, func(x fact) bool { return !x.survives(&summary.Writer{Const: claim.Const}) }) {
			return false
		}
		looks = true
	}
	return looks && (claim.Callee == nil || !claim.Looked() || d.setsOther(claim))
}

// decidesFirst reports whether a branch on what e has read dominates an access of f which has a control
// dependence on it: one that comes later in a loop does not.
func decidesFirst(f *summary.Func, e, at *summary.Event) bool {
	return slices.ContainsFunc(f.Branches(at), func(br *ssa.If) bool {
		return br.Block().Dominates(at.Instr.Block()) && f.Slice(br.Cond).HasAny(e.Values)
	})
}

// setsOther reports whether the callee that makes a claim looks for nothing but whether the variable
// has that value already.
//
//	if s.state == to { return }
//	s.state = to
func (d *detector) setsOther(claim *summary.Event) bool {
	for _, f := range d.calleesAt(claim.Instr) {
		for _, w := range f.Events {
			if !w.Writes() || w.Loc != claim.Loc || w.Callee != nil || len(w.Inputs) == 0 {
				continue
			}
			return !slices.ContainsFunc(f.Branches(w), func(br *ssa.If) bool {
				test, ok := br.Cond.(*ssa.BinOp)
				return !ok || test.Op != token.EQL && test.Op != token.NEQ || test.X != w.Inputs[0] && test.Y != w.Inputs[0]
			})
		}
	}
	return false
}

// isSameKey reports whether two keys are those of one element, or both empty.
func isSameKey(a, b accesspath.Key) bool { return a == b && a == "" || accesspath.SameElement(a, b) }

// claimsBefore reports whether the function itself sets what was read before the start.
func (p *pair) claimsBefore() bool {
	return slices.ContainsFunc(p.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && sameCell(w, p.read) && p.isClaim(w.Op, w.Const) && p.d.f.Order().MustPass(p.read.Instr, w.Instr, p.act.Instr)
	})
}

// claimsPlainly reports whether the function starts the goroutine only if a flag without a lock is not set, and sets it: its
// callers take turns, as a flag without a lock demands, and the next one finds the flag set.
//
//	if p.ran || p.isDone() { return }
//	go func() { p.serve(); close(p.done) }()
//	p.ran = true
func (p *pair) claimsPlainly() bool {
	isPlain := func(e *summary.Event) bool { return e.Callee == nil && e.Key == "" && len(e.Holds) == 0 }
	return slices.ContainsFunc(p.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && isPlain(w) && w.Op&summary.Fixed != 0 && !isEmpty(w.Const) && slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
			return e.Reads() && isPlain(e) && sameCell(e, w) && p.d.decides(e, p.act)
		})
	})
}

// isUnconditional reports whether nothing that is shared decides about an access.
func isUnconditional(s *summary.FuncSummary, a *summary.Access) bool {
	return !slices.ContainsFunc(a.Control, func(i int) bool { return s.Accesses[i].Regions != 0 })
}

// claimedLater reports whether the function sets what was read in a later section, because of
// the same decision, and starts the goroutine itself, after the section of the read.
func (p *pair) claimedLater() bool {
	return p.effect.in == p.d.f && p.d.actsAfter(p.read, p.act, p.guard, false) && slices.ContainsFunc(p.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && sameCell(w, p.read) && slices.Contains(w.Control, p.readIndex) && p.isClaim(w.Op, w.Const) &&
			p.d.actsAfter(p.read, w, p.guard, false) && (w.Looked() && !p.tellsStart(w) || p.startsBefore(w))
	})
}

// startsBefore reports whether the goroutine is started before the function looks again and
// makes a claim, and is not ended if that fails: there is no other use of what it is started
// with, but for the claim.
//
//	w := newWorker()
//	go w.run()
//	s.mu.Lock(); if s.w == nil { s.w = w }; s.mu.Unlock()
func (p *pair) startsBefore(claim *summary.Event) bool {
	start, ok := p.act.Instr.(*ssa.Go)
	if !ok || p.effect.in != p.d.f || claim.Callee != nil || !claim.Traits.Has(summary.Looked) || !p.d.f.Order().MustPass(p.read.Instr, start, claim.Instr) {
		return false
	}
	values := slices.Clone(start.Call.Args)
	if mc, ok := start.Call.Value.(*ssa.MakeClosure); ok {
		values = append(values, mc.Bindings...)
	}
	given := func(v ssa.Value) bool {
		if load, ok := v.(*ssa.UnOp); ok && slices.Contains(values, load.X) {
			return true
		}
		return slices.Contains(values, v)
	}
	return slices.ContainsFunc(values, p.isMade) && !slices.ContainsFunc(p.d.f.Sinks(), func(k summary.Sink) bool {
		call, ok := k.Instr.(*ssa.Call)
		return ok && p.d.f.Order().Flows(start, call) && (given(call.Call.Value) || slices.ContainsFunc(call.Call.Args, given))
	})
}

// isMade reports whether the function makes the object that a value is, or the variable that it
// refers to.
func (p *pair) isMade(v ssa.Value) bool { return p.d.f.Res.Resolve(v).Path.IsFresh() }

// isClaim reports whether a write of what was read makes the decision come out the other way. If
// it is not known what was decided, that is to set a flag.
func (p *pair) isClaim(op summary.Op, text string) bool {
	if op&summary.Write == 0 || op&summary.Delete != 0 || op&summary.Fixed != 0 && isEmpty(text) {
		return false
	}
	w := &summary.Writer{Const: text}
	facts := p.required()
	if len(facts) == 0 {
		return op&summary.Fixed != 0 && isFlag(p.info)
	}
	return slices.ContainsFunc(facts, func(f fact) bool { return !f.survives(w) })
}

// required returns facts about what was read without which control does not come to the act.
func (p *pair) required() []fact {
	var out []fact
	for _, br := range p.d.f.Branches(p.act) {
		holds := p.d.only(br, 0, p.act.Instr.Block())
		if !p.d.f.Slice(br.Cond).HasAny(p.read.Values) || !holds && !p.d.only(br, 1, p.act.Instr.Block()) {
			continue
		}
		if f, ok := p.factOf(br.Cond, holds); ok {
			out = append(out, f)
		}
	}
	return out
}

// isEmpty reports whether a constant is a zero value.
func isEmpty(text string) bool { return slices.Contains([]string{"", "nil", "0", "false", `""`}, text) }

// tellsStart reports whether the start is decided by what the call that makes a claim returns,
// and that tells whether the claim was made.
func (p *pair) tellsStart(claim *summary.Event) bool {
	return slices.ContainsFunc(p.act.Control, func(i int) bool {
		e := p.d.f.Events[i]
		return e.Ord == claim.Ord && !(e.OnlyErrors() && p.d.succeedsAnyway(claim))
	})
}

// succeedsAnyway reports whether the callee that makes a claim may return without an error,
// and without the claim, if another one has been made: its error tells something else.
func (d *detector) succeedsAnyway(claim *summary.Event) bool {
	for _, f := range d.calleesAt(claim.Instr) {
		for _, w := range f.Events {
			if w.Writes() && w.Loc == claim.Loc && slices.ContainsFunc(f.Fn.Blocks, func(b *ssa.BasicBlock) bool {
				return returnsNil(b) && !ssautil.Precedes(w.Instr, b.Instrs[len(b.Instrs)-1])
			}) {
				return true
			}
		}
	}
	return false
}

// calleesAt returns the functions of the package that are called at an instruction.
func (d *detector) calleesAt(instr ssa.Instruction) []*summary.Func { return d.calleesIn(d.f, instr) }

// calleesIn returns the functions of this package that an instruction of f may call.
func (d *detector) calleesIn(f *summary.Func, instr ssa.Instruction) []*summary.Func {
	var out []*summary.Func
	for _, s := range d.pkg.Steps(f)[instr] {
		if s.Kind == summary.CallStep {
			for _, c := range s.Callees {
				out = append(out, d.pkg.Of(c))
			}
		}
	}
	return out
}

// returnsNil reports whether a block returns nil as its last result.
func returnsNil(b *ssa.BasicBlock) bool {
	ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
	if !ok || len(ret.Results) == 0 {
		return false
	}
	return ssautil.IsNil(ssautil.Returned(ret, len(ret.Results)-1))
}

// repeats reports whether the function can make the decision again, after the start, before
// the goroutine runs.
func (p *pair) repeats() bool {
	return p.d.f.Times() == "" || p.d.f.Order().Exists(summary.Way{From: p.act.Instr, To: p.read.Instr})
}

// fails reports whether a second look of an effect only decides by an error of the callee that
// looks, which does not tell what it has found.
func (c *candidate) fails(e *summary.Event) bool {
	return c.link == doubleStart && e.Callee != nil && e.OnlyErrors() && c.d.succeedsAnyway(e)
}
