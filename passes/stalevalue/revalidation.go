package stalevalue

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// An act is revalidated if it is decided by a second look at what was read. If the
// second look is not in the section of the act, that is what goes stale, and it is a
// candidate itself.

// isSwap: the act is a compare-and-swap.
//
//	old := s.state.Load()
//	s.state.CompareAndSwap(old, next(old))
//
// It fails if what was read has changed.
func (c *candidate) isSwap() bool { return c.act.Op&summary.Compare != 0 && !c.isDropped() }

// isDropped: the act is a compare-and-swap whose result nobody asks for, so that what it should
// store is lost if it fails.
//
//	if cur := c.time.Load(); t > cur { c.time.CompareAndSwap(cur, t) }
//
// From a constant to a value it is a claim, or an initialization: it does not matter who makes
// it. Nor does it if the present time is stored, as the rival has done the same. A removal that fails leaves what a rival has put
// there.
func (c *candidate) isDropped() bool {
	call, ok := c.act.Instr.(*ssa.Call)
	if !ok || c.act.Op&summary.Compare == 0 || c.act.Op&summary.Delete != 0 || c.act.Callee != nil || c.act.Clock() || len(*call.Referrers()) > 0 {
		return false
	}
	args := call.Call.Args
	if len(args) < 2 || !types.Identical(call.Type(), types.Typ[types.Bool]) {
		return false // LoadOrStore stores if nothing is there
	}
	_, known := args[len(args)-2].(*ssa.Const)
	return !known
}

// isOnce: the act is in the function of a sync.Once.
//
//	if s.conn == nil { s.once.Do(s.dial) }
//
// It is done once, whatever was read.
func (c *candidate) isOnce() bool { return c.act.Once() }

// calleeLooks: the callee that acts looks at the place itself, or the function does in the section of
// the act.
//
//	if !s.has(k) {
//		s.putIfAbsent(k, v)
//	}
//
// The look revalidates the location of the act, and no other variable that the act is control dependent on: an empty
// place may have been emptied by the function that has changed that variable; the value of a variable, or a count of
// users, does not show that a flag has been set; a test for nil holds after a shutdown that stores nil; and that nobody has acted yet
// does not show that a list still is as it was found.
func (c *candidate) calleeLooks() bool {
	if !c.act.Looked() && !c.looksAtPlace() || c.calleeAsksLess() {
		return false
	}
	return c.read.Loc == c.act.Loc || !c.fills() && c.link != toldByFlag && c.link != missedDrain && !(c.link == mutualCheck && (c.awaited || c.asksForElements())) && c.link != revivableObject && !c.isEmptiedByShutdown()
}

// looksAtPlace reports whether the function decides about the act by a look, in the section of the act
// and on all paths to it, at what the act changes, which is another variable than that which was read. To
// make a container that is not there is no decision.
//
//	if t.live == nil { t.live = make(map[net.Conn]bool) }
func (c *candidate) looksAtPlace() bool {
	if c.act.Callee != nil || c.link != jointLocation {
		return false
	}
	makes := c.act.Key == "" && slices.ContainsFunc(c.act.Inputs, func(v ssa.Value) bool { return ssautil.IsReference(v.Type()) })
	return c.decidedBy(func(e *summary.Event, _ int) bool {
		return e.Ord != c.read.Ord && sameCell(e, c.act) && c.d.oneSection(e, c.act) && c.d.f.Order().MustPass(c.read.Instr, e.Instr, c.act.Instr) &&
			!(makes && c.asksPresenceOf(e))
	})
}

// asksPresenceOf reports whether all conditions of the act on what e reads ask whether there is anything.
func (c *candidate) asksPresenceOf(e *summary.Event) bool {
	return !slices.ContainsFunc(c.d.f.Conditions(c.act), func(cond ssa.Value) bool {
		return c.d.f.Slice(cond).HasAny(e.Values) && !isPresence(cond, e)
	})
}

// calleeAsksLess reports whether all looks of the callee that acts ask less than the decision did.
func (c *candidate) calleeAsksLess() bool {
	looks := false
	for _, i := range c.act.Control {
		e := c.d.f.Events[i]
		if e.Ord != c.act.Ord || !c.isOnRead(e) || !sameCell(e, c.act) {
			continue
		}
		if !c.asksLess(e) {
			return false
		}
		looks = true
	}
	return looks
}

// asksLess reports whether e asks only whether the element is there, while the decision to act has
// compared what it was: the element may be there and have changed, unless elements are only removed.
//
//	if s.onHand(k) < n { return errShort }
//	s.mu.Lock()
//	if _, ok := s.qty[k]; ok { s.qty[k] -= n } // there may be less on hand by now
//	s.mu.Unlock()
//
// So does a look that only rules out some states, where the decision was for another one:
//
//	if m.stateOf(k) == suspect { m.bury(k) } // which only asks whether it is dead: it may be alive by now
func (c *candidate) asksLess(e *summary.Event) bool {
	if e.Ord == c.act.Ord && (sameCell(e, c.read) || c.collects(e) != nil) && c.admitsOthers() {
		return true
	}
	asksPresence := e.Key != "" && (e.Op&summary.Presence != 0 || c.calleeRemovesAny(e.Loc))
	return asksPresence && c.comparesValue() && c.mayChangeInPlace()
}

// mayChangeInPlace reports whether an element of the container may become another one while it is there. One that is no reference, and is
// put in under a number of its own, stays as it is until it is removed.
func (c *candidate) mayChangeInPlace() bool {
	in, _ := c.decisive()
	stays := c.d.others.Serial(in.read.Loc) && slices.ContainsFunc(in.read.Values, func(v ssa.Value) bool {
		m, ok := v.Type().Underlying().(*types.Map)
		return ok && !ssautil.IsReference(m.Elem())
	})
	return !stays && slices.ContainsFunc(c.info.Writers, func(w summary.Writer) bool { return w.Effect != summary.Removes })
}

// calleeRemovesAny reports whether the function that removes an element of a container, and those between it and that of the candidate, only
// ask whether there is one. They may need the element for something else. What else is found under its key may say more.
//
//	h, ok := s.holds[id]
//	if ok { delete(s.holds, id); s.free += h.places }
func (c *candidate) calleeRemovesAny(container accesspath.Location) bool {
	if c.collected == nil || c.act.Op&summary.Delete == 0 {
		return false
	}
	asks := false
	for g, w := range c.d.others.Descent(c.d.f, c.act) {
		if g == c.d.f {
			continue
		}
		for _, look := range g.Events {
			concerns := sameCell(look, w) || look.Base.Within(w.ElementPath()) || accesspath.SameElement(look.Key, w.Key)
			if look == w || !look.Reads() || !concerns || !isDecidedBy(g, w, look) {
				continue
			}
			if look.Loc != container || !sameCell(look, w) || !asksForAny(g, look, w) {
				return false
			}
			asks = true
		}
	}
	return asks
}

// admitsOthers reports whether the callee that acts on the cell which was read only rules out constants, and admits another value than
// the one that the decision has asked for: one that a rival stores where it finds that. A decision that has ruled out some states
// itself may have been about something else:
//
//	if t.state == draining { return errDraining }
//	if err := t.write(s); err != nil { t.close() } // which only asks whether it is closed
//
// The decision may have asked for what a variable has; then anything else that a rival stores is another value:
//
//	if c.holder() == me { c.release() } // which only asks whether there is a holder
func (c *candidate) admitsOthers() bool {
	if c.act.Callee == nil || !c.sameCell() {
		return false
	}
	act := &c.act.Callee.Accesses[c.act.Index]
	if len(act.RuledOut) == 0 || c.actsOtherwise() {
		return false
	}
	wanted, named := c.wanted()
	if wanted == "" && !named {
		return false
	}
	return c.anyRival(func(r rival) bool {
		stored := r.writer.Const
		return (named || stored != "" && stored != wanted) && !act.RulesOut(stored) && !r.d.writesNotAt(*r.writer, c.read.Loc, wanted) && r.runs()
	})
}

// actsOtherwise reports whether the function also calls the one that acts somewhere else, for the same object: what was read does not
// decide whether it acts.
//
//	if s.state() == busy { log.Print("busy"); s.close() } else { s.close() }
func (c *candidate) actsOtherwise() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Ord != c.act.Ord && e.Callee == c.act.Callee && sameCell(e, c.act)
	})
}

// isDecidedBy reports whether an act depends on a condition of what was read.
func isDecidedBy(f *summary.Func, act, read *summary.Event) bool {
	return slices.ContainsFunc(f.Conditions(act), func(cond ssa.Value) bool { return f.Slice(cond).HasAny(read.Values) })
}

// comparesValue reports whether the decision to act depends on the value of what was read, and not
// only on whether there is one.
func (c *candidate) comparesValue() bool {
	in, conds := c.decisive()
	return in.read.Op&summary.Presence == 0 && slices.ContainsFunc(conds, func(cond ssa.Value) bool { return !asksForNext(cond) && in.asksValue(cond) })
}

// asksValue reports whether a condition compares the value that was read, or a part of it, with
// another value, or is a call with the value as an argument. The error result of a look-up tells only
// of presence.
func (p *pair) asksValue(cond ssa.Value) bool {
	if is := branch.Alone(cond, true); (is.True() || is.False()) && is.Subject != cond {
		return p.asksValue(is.Subject) // ok == false, or !ok
	}
	switch cond := cond.(type) {
	case *ssa.BinOp:
		if cond.Op != token.EQL && cond.Op != token.NEQ {
			return true
		}
		return !ssautil.IsError(cond.X.Type()) && (!ssautil.IsConst(cond.X) && !ssautil.IsConst(cond.Y) || looksInside(cond.X, p.read) || looksInside(cond.Y, p.read))
	case *ssa.UnOp:
		return looksInside(cond, p.read)
	case *ssa.Call:
		return looksInside(cond, p.read) && slices.ContainsFunc(cond.Call.Operands(nil), func(v *ssa.Value) bool {
			return !ssautil.IsError((*v).Type()) && p.d.f.Slice(*v).HasAny(p.read.Values)
		})
	}
	return false
}

// takesExtreme: the act writes the larger or the smaller of what is there and something
// else.
//
//	s.mu.Lock(); n := s.high; s.mu.Unlock()
//	s.mu.Lock(); s.high = max(s.high, n+grown); s.mu.Unlock()
func (c *candidate) takesExtreme() bool {
	w := c.act
	if w.Callee != nil || len(w.Inputs) == 0 {
		return false
	}
	call, ok := w.Inputs[0].(*ssa.Call)
	if !ok {
		return false
	}
	if b := ssautil.Builtin(&call.Call); b != "max" && b != "min" {
		return false
	}
	return slices.ContainsFunc(w.Data, func(i int) bool {
		e := c.d.f.Events[i]
		return sameCell(e, w) && c.d.oneSection(e, w) &&
			slices.ContainsFunc(call.Call.Args, func(v ssa.Value) bool { return slices.Contains(e.Values, v) })
	})
}

// looksAgain: the act is decided by a second look at the location, later than that which
// goes stale.
//
//	s.mu.Lock(); e := s.m[k]; s.mu.Unlock()
//	s.mu.Lock()
//	if s.m[k] == nil {
//		s.m[k] = load(k)
//	}
//	s.mu.Unlock()
//
// Of two elements with unknown keys that look the same the second look is meant to be at
// the first. An access without a lock is no look at what is there: it goes by the reference that was read.
//
// So does a loop in the section of the act that waits for what the location has to be: there is
// no way to the act but by the exit of the loop.
//
//	for len(s.m) > 0 { s.cond.Wait() }
//	s.m = nil
func (c *candidate) looksAgain() bool {
	return c.decidedBy(func(e *summary.Event, _ int) bool {
		return e.Ord != c.read.Ord && len(e.Holds) > 0 && c.isOnRead(e) && accesspath.KeysMayMatch(e.Key, c.read.Key) && !areGivenApart(e.Key, c.read.Key) && c.isLater(e) && !c.fails(e) && !c.asksForContainer(e) && !c.asksLess(e) && !c.asksOthers(e)
	}) || slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e != c.read && e.Reads() && c.isOnRead(e) && e.Key == c.read.Key && c.d.oneSection(e, c.act) && c.d.f.IsWaitedFor(e, c.act)
	})
}

// areGivenApart reports whether two keys are different parameters of the function, or parts of such.
//
//	func (b *Booth) Move(from, to int, who string)
func areGivenApart(a, b accesspath.Key) bool {
	x, y := a.Path(), b.Path()
	return x.IsParam() && y.IsParam() && x.Root() != y.Root()
}

// asksOthers reports whether e looks at a container, or at all its elements, for something that has nothing to do with the key of the
// element that was read.
//
//	if s.streams[cfg.name] != nil { return errExists }
//	if s.overlaps(cfg.subjects) { return errOverlap } // for _, t := range s.streams { … t.subjects … }
//	s.streams[cfg.name] = t
func (c *candidate) asksOthers(e *summary.Event) bool {
	key := c.read.Key.Path()
	if key == accesspath.Unknown || !e.Key.HasAny() && (e.Key != "" || e.Callee == nil) {
		return false
	}
	tells := func(v ssa.Value) bool { return key.Within(c.d.f.Res.Resolve(v).Path) || c.d.f.Res.Key(v).Path() == key }
	if call, ok := e.Instr.(ssa.CallInstruction); ok {
		return !slices.ContainsFunc(call.Common().Args, func(arg ssa.Value) bool {
			return tells(arg) || slices.ContainsFunc(ssautil.PartsOf(arg), tells)
		})
	}
	return !slices.ContainsFunc(c.d.f.Conditions(c.act), func(cond ssa.Value) bool {
		slice := c.d.f.Slice(cond)
		return slice.HasAny(e.Values) && slices.ContainsFunc(slice, tells)
	})
}

// asksForContainer reports whether the element that was read is not looked at by e, which asks
// whether there is a container, or compares its size with a bound.
//
//	if len(s.conns) >= s.limit { return errFull }
//	s.conns[k] = c
func (c *candidate) asksForContainer(e *summary.Event) bool {
	return c.read.Key != "" && (c.d.f.AsksForContainer(e, c.act) || e.Key == "" && e.Loc == c.read.Loc && c.isBounded(e))
}

// isBounded reports whether all that the conditions of the act ask of what e has read is a
// comparison of a number with something else than a constant: not whether there are elements.
func (c *candidate) isBounded(e *summary.Event) bool {
	bounded := false
	for _, cond := range c.d.f.Conditions(c.act) {
		if !c.d.f.Slice(cond).HasAny(e.Values) {
			continue
		}
		compared, ok := cond.(*ssa.BinOp)
		if !ok || !ssautil.IsNumber(compared.X.Type()) || ssautil.IsConst(compared.X) || ssautil.IsConst(compared.Y) {
			return false
		}
		bounded = true
	}
	return bounded
}

// comparesVersion: the act is decided by a version, which is read in its section, and
// compared with what it was in the section of the read.
//
//	s.mu.Lock(); v, gen := s.v, s.gen; s.mu.Unlock()
//	s.mu.Lock()
//	if s.gen == gen {
//		s.v = next(v)
//	}
//	s.mu.Unlock()
func (c *candidate) comparesVersion() bool {
	return c.decidedBy(func(fresh *summary.Event, i int) bool {
		if !c.d.oneSection(fresh, c.act) || c.asksForContainer(fresh) || c.asksLess(fresh) {
			return false
		}
		info := c.d.pkg.Location(fresh.Loc)
		if fresh.Loc != c.read.Loc && !c.info.IsJoint(fresh.Loc) && !info.Counter {
			return false // writers of the one leave the other as it is
		}
		for j, old := range c.d.f.Events {
			if j != i && old.Loc == fresh.Loc && slices.Contains(c.act.Control, j) && !c.d.oneSection(old, c.act) &&
				c.isAsOld(old) && c.areCompared(fresh, old) {
				return true
			}
		}
		return false
	})
}

// isAsOld reports whether the version that an access reads is at least as old as the value: the access is in the section of the read or,
// if the value is the answer of a store, before the call of that.
func (c *candidate) isAsOld(e *summary.Event) bool {
	return e == c.read || summary.SharePassage(e, c.read) || c.link == outdatedFill && c.isBeforeSources(e)
}

// areCompared reports whether a condition of the act, which no path goes around, depends on two
// reads. A callee that acts is given the old value, and looks at the new one. One that looks up the object of
// the read may only want to have it:
//
//	n := s.nodes[k]; due := n.state == suspect // old
//	if due { s.bury(k) }                       // if n := s.nodes[k]; n != nil { … }
func (c *candidate) areCompared(fresh, old *summary.Event) bool {
	if c.act.Callee != nil && fresh.Ord == c.act.Ord {
		return !c.looksUp(fresh) || c.collected == nil && c.gives(old)
	}
	return slices.ContainsFunc(c.d.f.Branches(c.act), func(br *ssa.If) bool {
		slice := c.d.f.Slice(br.Cond)
		return slice.HasAny(fresh.Values) && slice.HasAny(old.Values) && c.d.f.Order().MustPass(c.read.Instr, br, c.act.Instr)
	})
}

// looksUp reports whether e looks up the object of the read.
func (c *candidate) looksUp(e *summary.Event) bool {
	if c.collected == nil || e.Key == "" {
		return e.Finds(c.read)
	}
	at, _ := c.d.f.Collected(e.ElementPath(), c.read)
	return c.read.Base.Within(at)
}

// gives reports whether the call that acts has an argument which depends on what e has read.
func (c *candidate) gives(e *summary.Event) bool {
	call, ok := c.act.Instr.(ssa.CallInstruction)
	return !ok || slices.ContainsFunc(call.Common().Operands(nil), func(v *ssa.Value) bool { return *v != nil && c.d.f.Slice(*v).HasAny(e.Values) })
}

// sectionHandles: the section of a write that does not depend on the read looks at the
// location itself.
//
//	s.mu.Lock(); if s.ready { start(s.job) }; s.mu.Unlock()
//	s.mu.Lock(); s.limit = n; s.ready = s.used < n; s.mu.Unlock()
func (c *candidate) sectionHandles() bool { return c.d.handles(c.act, c.read) }

// isOnRead reports whether e is an access to the location that was read, of the same
// object.
func (c *candidate) isOnRead(e *summary.Event) bool {
	return e.Loc == c.read.Loc && (accesspath.Same(e.Base, c.read.Base) || e.Base == c.read.Base) || c.collects(e) != nil
}

// isLater reports whether e is read after the section of the read: in that of the act, by
// the callee that acts, or in one in between. After a look in another turn of a loop comes the read again.
func (c *candidate) isLater(e *summary.Event) bool {
	return c.d.oneSection(e, c.act) || e.Ord == c.act.Ord ||
		!summary.SharePassage(e, c.read) && c.d.actsAfter(c.read, e, c.guard, false) && !c.d.f.Order().MustPass(e.Instr, c.read.Instr, c.act.Instr)
}

// fills reports whether the act puts something where nothing is.
func (c *candidate) fills() bool {
	return c.act.Key != "" && c.act.Op&summary.Delete == 0 && c.act.Const == ""
}

// isRelative: the act changes what is there by some amount, or takes from it what was
// read.
//
//	s.mu.Lock(); n := s.pending; s.mu.Unlock()
//	flush(n)
//	s.mu.Lock(); s.pending -= n; s.mu.Unlock()
//
// It does not overwrite what others have done in between. Nor does it if what was read is only given to
// calls, of which one decides, and is not compared:
//
//	err := dial(s.backoff())
//	if err != nil { s.mu.Lock(); s.attempts++; s.mu.Unlock() }
//
// Of what the function has waited for, there may be too little for two who have waited.
func (c *candidate) isRelative() bool {
	if c.awaited {
		return false
	}
	if !c.data || c.appendsToFound() {
		return c.link == decisionOnCell && c.act.Delta() && !slices.ContainsFunc(c.conditions(), func(cond ssa.Value) bool {
			return !c.d.f.OnlyThroughCalls(cond, c.read.Values)
		})
	}
	return c.isDelta() && !c.grows() && !c.mixes() && !c.isPosition() && !c.appendsSuccessor() && !c.appendsWhatFits()
}

// appendsWhatFits reports whether an append depends, by data and by control, on a number that was computed from the length of the list: a rival
// that appends in between makes the list longer than the check allows.
//
//	room := s.free() // s.size - len(s.items)
//	if room == 0 { return }
//	s.put(from.take(room)) // s.items = append(s.items, items...)
func (c *candidate) appendsWhatFits() bool {
	return c.link == updateOfCell && c.decides && c.appends() && !slices.ContainsFunc(c.read.Values, func(v ssa.Value) bool { return !ssautil.IsNumber(v.Type()) })
}

// appendsToFound reports whether something is appended because an element was found that others take out together with what was
// appended for it. That it has a part of the element makes it no better.
//
//	s.mu.Lock(); p := s.peers[k]; s.mu.Unlock()
//	if p == nil { return }
//	s.mu.Lock(); s.lines = append(s.lines, line{to: k, route: p.route}); s.mu.Unlock()
func (c *candidate) appendsToFound() bool {
	return c.decides && c.link == jointLocation && c.read.Key != "" && c.appends() && slices.ContainsFunc(c.conditions(), func(cond ssa.Value) bool {
		return isPresence(cond, c.read)
	})
}

// notesPreferred: the act counts, or notes the time, in an object that a callee has chosen by no more than a comparison of what was read
// with the same in other objects: any of them would do.
//
//	c := p.leastUsed() // if best == nil || c.n < best.n { best = c }
//	p.count(c)         // c.n++
func (c *candidate) notesPreferred() bool {
	call, ok := c.read.Instr.(*ssa.Call)
	if !ok || c.read.Callee == nil || !c.act.Delta() && !c.act.Clock() {
		return false
	}
	compared := false
	for _, g := range c.d.calleesAt(call) {
		for _, r := range g.Events {
			if r.Loc != c.read.Loc || !r.Reads() {
				continue
			}
			for br := range g.BranchesOn(r.Values) {
				is := branch.Alone(br.Cond, true)
				if !slices.Contains(r.Values, is.Subject) && !slices.Contains(r.Values, is.Other) {
					continue // whether there is one yet
				}
				if !loads(is.Subject, r.Loc) || !loads(is.Other, r.Loc) {
					return false
				}
				compared = true
			}
		}
	}
	return compared
}

// loads reports whether v is what a location has in some object.
func loads(v ssa.Value, l accesspath.Location) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	return ok && accesspath.LocationOf(field) == l
}

// isRelativeElsewhere: the act on a location under another guard changes it by some
// amount.
func (c *candidate) isRelativeElsewhere() bool { return c.act.Delta() }

// isDelta reports whether the act changes what is there by some amount.
func (c *candidate) isDelta() bool {
	w := c.act
	if w.Reads() {
		return w.Delta() || w.Op&summary.Content != 0 // one atomic step
	}
	return slices.ContainsFunc(w.Data, func(i int) bool {
		e := c.d.f.Events[i]
		return i != c.readIndex && e.Loc == w.Loc && accesspath.Same(e.Base, w.Base) && c.d.oneSection(e, w)
	})
}

// claimsEffect: the effect is decided by a test-and-set after the read, in one section or one
// atomic operation.
//
//	if s.get(k) == nil {
//		x := s.getOrAdd(k)
//		if x.watched.CompareAndSwap(false, true) { go s.watch(x) }
//	}
func (c *candidate) claimsEffect() bool {
	return c.decidedBy(func(e *summary.Event, _ int) bool {
		return (e.Writes() || c.d.owned(e)) && c.isLater(e) && !c.fails(e)
	})
}
