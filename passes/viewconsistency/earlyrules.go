package viewconsistency

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
	"github.com/atomvet/atomvet/passes/viewconsistency/internal/announce"
)

// signalRules decide about signals that come before their data.
var signalRules = rule.Set[*earlySignal]{
	{
		ID: "same-data", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"early.Upload.Pass"},
		Holds: (*earlySignal).sameData,
	}, {
		ID: "led-by-signal", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"early.Lamp.Off"},
		Holds: (*earlySignal).leads,
	}, {
		ID: "name-of-data", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"early.Ring.Retire"},
		For:   (*earlySignal).ofName, Holds: (*earlySignal).isName,
	}, {
		ID: "read-in-one-section", Kind: rule.Excludes, Mechanism: rule.Definition,
		Cases: []string{"writes.door.Shut"},
		For:   (*earlySignal).ofFlag, Holds: (*earlySignal).inOneSection,
	}, {
		ID: "pair-of-atomics", Kind: rule.Excludes, Mechanism: rule.Definition,
		Cases: []string{"publication.Shop.Open"},
		For:   (*earlySignal).ofFlag, Holds: (*earlySignal).areAtomics,
	}, {
		ID: "one-update", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"objects.town.Build"},
		Holds: (*earlySignal).isOneUpdate,
	}, {
		ID: "signal-again", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"early.Buoy.Blink"},
		Holds: (*earlySignal).signalsAgain,
	}, {
		ID: "one-of-many", Kind: rule.Excludes, Mechanism: rule.Unrelated,
		Cases: []string{"early.Street.Open"},
		Holds: (*earlySignal).isOneOfMany,
	}, {
		ID: "receiver-updates", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"early.Street.Name"},
		Holds: (*earlySignal).receiverUpdates,
	}, {
		ID: "own-number", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"early.Papers.Register"},
		Holds: (*earlySignal).isOwnNumber,
	}, {
		ID: "own-token", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"early.Throttle.Do"},
		Holds: (*earlySignal).isOwnToken,
	}, {
		ID: "data-withdrawn", Kind: rule.Excludes, Mechanism: rule.Lifecycle,
		Cases: []string{"early.Download.Stop"},
		Holds: (*earlySignal).withdraws,
	}, {
		ID: "data-before", Kind: rule.Excludes, Mechanism: rule.NotPublished,
		Cases: []string{"early.Gate.Rise"},
		Holds: (*earlySignal).writtenBefore,
	}, {
		ID: "flag-with-data", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"early.Pier.Open"},
		Holds: (*earlySignal).asksFlag,
	}, {
		ID: "one-step", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"early.Ferry.Land", "early.Ferry.Board"},
		Holds: (*earlySignal).oneStep,
	}, {
		ID: "waits-for-data", Kind: rule.Excludes, Mechanism: rule.Join,
		Cases: []string{"early.Hotel.Plan", "early.Choir.Sing"},
		Holds: (*earlySignal).waitsForMore,
	}, {
		ID: "looks-until-there", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"early.Ferry.Steer"},
		Holds: (*earlySignal).looksAgain,
	}, {
		ID: "data-relied-upon", Kind: rule.Requires, Mechanism: rule.Statistics,
		Cases: []string{"early.Download.Fail"},
		Holds: (*earlySignal).relies,
	}, {
		ID: "announced-data", Kind: rule.Requires, Mechanism: rule.Unrelated,
		Cases: []string{"early.Meter.Stop"},
		Holds: (*earlySignal).announces,
	}, {
		ID: "receiver", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"program.beacon.light"},
		Holds: (*earlySignal).concurrent,
	}, {
		ID: "data-asked-for", Kind: rule.DoubtsStrongly, Mechanism: rule.Revalidated,
		Doubt: "the receiver asks whether it is there",
		Cases: []string{"early.Cellar.Store"},
		// A receiver that has the name from the function has no other place to look.
		For:   func(c *earlySignal) bool { return !c.ofName() },
		Holds: (*earlySignal).asks,
	}, {
		ID: "plain-mark", Kind: rule.DoubtsStrongly, Mechanism: rule.Unrelated,
		Doubt: "what comes first is a part of the state, and may not be meant as a signal",
		Cases: []string{"early.Barge.Load"},
		Holds: (*earlySignal).isPlainMark,
	}, {
		ID: "signal-deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance, Doubt: finding.Deep,
		Cases: []string{"early.Report.Write"},
		Holds: func(c *earlySignal) bool { return c.write.Deep() || c.to.Read.Deep() || c.signal.At.Deep() },
	},
}

// startRules decide about goroutines that are started before what they look for is there.
var startRules = rule.Set[*lateStart]{
	{
		ID: "held-from-start", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"early.Squad.GoLocked"},
		Holds: (*lateStart).heldFromStart,
	}, {
		ID: "entered-before", Kind: rule.Excludes, Mechanism: rule.NotPublished,
		Cases: []string{"early.Squad.GoAgain"},
		Holds: (*lateStart).enteredBefore,
	}, {
		ID: "goroutine-joined", Kind: rule.Excludes, Mechanism: rule.Join,
		Cases: []string{"early.Ward.Renew"},
		Holds: (*lateStart).isJoined,
	}, {
		ID: "goroutine-released", Kind: rule.Excludes, Mechanism: rule.Join,
		Cases: []string{"early.Ward.KeepReleased"},
		Holds: (*lateStart).isReleased,
	}, {
		ID: "sleeps-first", Kind: rule.Excludes, Mechanism: rule.Lifecycle,
		Cases: []string{"early.Ward.KeepFor"},
		Holds: (*lateStart).sleepsFirst,
	}, {
		ID: "enters-itself", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"early.Ward.KeepMade"},
		Holds: (*lateStart).entersItself,
	}, {
		ID: "polls-until-there", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"early.Ward.KeepPolled"},
		Holds: (*lateStart).looksUntilThere,
	}, {
		ID: "waits-first", Kind: rule.DoubtsStrongly, Mechanism: rule.Lifecycle,
		Doubt: "the goroutine waits first, and what for is not known",
		Cases: []string{"early.Ward.KeepHandled"},
		Holds: (*lateStart).waitsFirst,
	},
}

// unfinishedRules decide about objects that others find before they are complete.
var unfinishedRules = rule.Set[*unfinished]{
	{
		ID: "needs-field", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"unfinished.Board.AddNamed"},
		Holds: (*unfinished).needsField,
	}, {
		ID: "set-before", Kind: rule.Excludes, Mechanism: rule.NotPublished,
		Cases: []string{"unfinished.Board.AddWithDefault"},
		Holds: (*unfinished).setBefore,
	}, {
		ID: "held-until-set", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"unfinished.Board.AddLocked"},
		Holds: (*unfinished).heldUntilSet,
	}, {
		ID: "reader-asks", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"unfinished.Rack.AddReady"},
		Holds: (*unfinished).readerAsks,
	}, {
		ID: "reader-beside", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"unfinished.shelf.add"},
		Holds: (*unfinished).runsBeside,
	},
}

// overtakenRules decide about messages that a goroutine may overtake.
var overtakenRules = rule.Set[*overtaken]{
	{
		ID: "one-channel", Kind: rule.Requires, Mechanism: rule.Ownership,
		Cases: []string{"early.Relay.Forward"},
		Holds: (*overtaken).isOfOneObject,
	}, {
		ID: "one-subject", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"early.Relay.Log"},
		Holds: (*overtaken).isOfOneThing,
	}, {
		ID: "waits-for-message", Kind: rule.Excludes, Mechanism: rule.Join,
		Cases: []string{"early.Relay.OpenTold"},
		Holds: (*overtaken).waitsForSend,
	},
}

// sameData: the receiver reads what the function writes, of the same object: both are reached
// from the objects with the signal in the same way, or from the object that is handed over with it.
func (c *earlySignal) sameData() bool {
	if c.write.Loc.IsVariable() {
		return true // a local variable, which both have captured
	}
	g := c.to.Fn
	if c.signal.Object != accesspath.Unknown && c.write.Base.Within(c.signal.Object) {
		rest := strings.TrimPrefix(string(c.write.Base), string(c.signal.Object))
		return slices.ContainsFunc(c.to.Values, func(v ssa.Value) bool {
			p := g.Res.Resolve(v).Path
			return p != accesspath.Unknown && c.to.Read.Base == p+accesspath.Path(rest)
		})
	}
	if c.to.Read.Base == accesspath.Unknown {
		return false
	}
	return c.way == c.to.Way
}

// leads: the receiver comes to the read because of the signal; or the signal is one of those that
// wake it, and it asks for what the function writes.
//
//	select {
//	case <-timer.C:
//	case <-l.ctx.Done():
//	}
//	if l.isClosed() { return }
func (c *earlySignal) leads() bool {
	g := c.to.Fn
	if c.to.LeadsTo(g, c.to.Read, c.signal) {
		return true
	}
	return c.to.MayWake(g, c.to.Read.Instr) && c.distinguishes()
}

// distinguishes reports whether the receiver compares what it reads with the constant that the
// function writes.
func (c *earlySignal) distinguishes() bool {
	if c.write.Const == "" || c.write.Empties() {
		return false
	}
	for br := range c.to.Fn.BranchesOn(c.to.Read.Values) {
		x := branch.Alone(br.Cond, true)
		if x.Const != nil && !x.Length && slices.Contains(c.to.Read.Values, x.Subject) && (x.Relation == branch.Equal || x.Relation == branch.Differs) &&
			(x.Const.ExactString() == c.write.Const || x.Const.Kind() == constant.Bool) {
			return true
		}
	}
	return false
}

func (c *earlySignal) ofFlag() bool { return c.signal.Kind == announce.Sets }

func (c *earlySignal) ofName() bool { return c.signal.Kind == announce.Leads }

// isName: what is stored first is the key under which the data is written, or that is computed from it.
//
//	s.active.Store(id)
//	s.mu.Lock(); s.keys[id] = k; s.mu.Unlock()
func (c *earlySignal) isName() bool {
	f, w := c.d.f, c.write
	if w.Key == "" || w.Delta() || w.Op&summary.Delete != 0 {
		return false
	}
	return f.Uses(w.Instr, c.signal.At.Values) || slices.ContainsFunc(c.signal.At.Inputs, func(v ssa.Value) bool { return accesspath.SameElement(f.Res.Key(v), w.Key) })
}

// inOneSection: the receiver looks for the signal and reads the data in one section of a lock
// that the function holds at both acts. To write them in two sections is a split write.
func (c *earlySignal) inOneSection() bool {
	g, test := c.to.Fn, c.to.At
	return slices.ContainsFunc(g.HeldForward(test, c.to.Read), func(l accesspath.Location) bool {
		return slices.Contains(c.d.f.Locks(c.signal.At), l) && slices.Contains(c.d.f.Locks(c.write), l)
	})
}

// areAtomics: all are single atomic operations, see readsPublished.
func (c *earlySignal) areAtomics() bool {
	for _, e := range []*summary.Event{c.signal.At, c.write, c.to.At, c.to.Read} {
		if !slices.ContainsFunc(e.Holds, func(h summary.Hold) bool { return h.IsAtomic() }) {
			return false
		}
	}
	return true
}

// isOneUpdate: what decides about the signal decides about the write, and nothing else does but an
// error, and a look at the data in the section of the write. Otherwise they may be two operations.
//
//	r := h.room(name) // made and put into the table, if it is not there
//	r.set(bed)        // in any case
//
// A callee that gives the signal or fails tells by its error which it was.
func (c *earlySignal) isOneUpdate() bool {
	f := c.d.f
	if isConditional(c.signal.At, "") && !c.failsElse() || isConditional(c.write, c.write.Loc) {
		return false
	}
	signal, write := f.Branches(c.signal.At), f.Branches(c.write)
	if slices.ContainsFunc(signal, func(br *ssa.If) bool { return !slices.Contains(write, br) }) {
		return false
	}
	return !slices.ContainsFunc(write, func(br *ssa.If) bool {
		return !slices.Contains(signal, br) && !isFailure(br) && !c.isOwnLook(br) && !c.tellsOfSignal(br)
	})
}

// isPlainMark: the signal is a variable that is written under a lock, as others are, and hands over
// nothing: neither the object with the data nor its key. A receiver that follows what it reads without a test must go by
// something, or it crashes.
func (c *earlySignal) isPlainMark() bool {
	if c.isFollowed() {
		return false
	}
	switch c.signal.Kind {
	case announce.Sets:
		return !slices.ContainsFunc(c.signal.At.Holds, func(h summary.Hold) bool { return h.IsAtomic() })
	case announce.Inserts:
		return !c.handsOverKey() && (c.signal.Object == accesspath.Unknown || !c.write.Base.Within(c.signal.Object))
	}
	return false
}

// isFollowed reports whether the receiver follows the reference that it reads without a test, which is nil before the write:
// nothing else gives the variable a value.
//
//	if id, ok := p.lookup[name]; ok { return p.getStore().Get(id) }
func (c *earlySignal) isFollowed() bool {
	return c.write.Key == "" && !c.write.Empties() && !c.to.Read.Tested() && !c.asksElse() && !isTestedInCallee(c.d.pkg, c.to.Fn, c.to.Read) && failsOnNil(c.to.Fn, c.to.Read) != nil && c.d.isSetOnce(c.write.Loc)
}

// isSetOnce reports whether only one place of the package gives a variable another value than nil, and no function that makes objects.
func (d *detector) isSetOnce(l accesspath.Location) bool {
	places := make(map[string]bool)
	for _, w := range d.pkg.Location(l).Writers {
		if w.Const != "nil" {
			places[w.Pos.Text] = true
		}
	}
	return len(places) <= 1 && !d.makers.sets(l)
}

// handsOverKey reports whether the receiver looks the data up under a key that it has found with the
// signal, and follows what it finds without a test.
//
//	id := d.byName[name]
//	return d.byID[id].mail
func (c *earlySignal) handsOverKey() bool {
	g := c.to.Fn
	return c.to.Read.Key != "" && !c.to.Read.Tested() && g.Dereference(c.to.Read) != nil && g.Uses(c.to.Read.Instr, c.to.Values)
}

// failsElse reports whether the callee gives the signal unless it has been given, and the write is only
// made if the callee has not failed, or says that it has given the signal.
//
//	if err := reserve(name, s); err != nil { return err } // if there is one of that name
//	s.install(h)
//
//	if !r.add(s) { return errDuplicate }
//	s.install(h)
func (c *earlySignal) failsElse() bool {
	return !isConditional(c.signal.At, c.signal.At.Loc) && slices.ContainsFunc(c.d.f.Branches(c.write), c.tellsOfSignal)
}

// tellsOfSignal reports whether a branch is decided by what the callee returns that gives the signal: that it has not failed,
// or that it has given the signal.
func (c *earlySignal) tellsOfSignal(br *ssa.If) bool {
	call, ok := c.signal.At.Instr.(*ssa.Call)
	return ok && c.d.f.Slice(br.Cond).HasAny(ssautil.Results(call)) && (isFailure(br) || c.isFollowed() && c.signal.At.Callee != nil && c.d.f.HasMade(c.signal.At, c.write.Instr.Block()))
}

// isConditional reports whether a callee makes an access only if it finds something in shared memory,
// other than in the location of the access.
func isConditional(e *summary.Event, own accesspath.Location) bool {
	if e.Callee == nil {
		return false
	}
	return slices.ContainsFunc(e.Callee.Accesses[e.Index].Control, func(i int) bool {
		return e.Callee.Accesses[i].Regions != 0 && e.Callee.Accesses[i].Loc != own
	})
}

// isOwnLook reports whether a branch looks at the data in the section of the write.
func (c *earlySignal) isOwnLook(br *ssa.If) bool {
	slice := c.d.f.Slice(br.Cond)
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc == c.write.Loc && summary.SharePassage(e, c.write) && slice.HasAny(e.Values)
	})
}

// signalsAgain: the function gives the signal with the write, or afterwards, once more.
//
//	s.seq.Add(1); s.set(v); s.seq.Add(1)
func (c *earlySignal) signalsAgain() bool {
	return slices.ContainsFunc(c.d.signals.Signals(c.d.f), func(s announce.Signal) bool {
		return s.At != c.signal.At && s.At.Loc == c.signal.At.Loc && (s.At.Instr == c.write.Instr || c.d.precedes(c.write, s.At))
	})
}

// isOneOfMany: the function writes one element, and the receiver reads whatever there is.
func (c *earlySignal) isOneOfMany() bool {
	return c.write.Key != "" && c.to.Read.Key == ""
}

// receiverUpdates: the receiver changes what it has read, in the section of the read, by an amount
// or to a larger value: it does so in any order.
func (c *earlySignal) receiverUpdates() bool {
	g := c.to.Fn
	i := slices.Index(g.Events, c.to.Read)
	return slices.ContainsFunc(g.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Loc == c.to.Read.Loc && !e.Empties() && summary.SharePassage(e, c.to.Read) &&
			(e.Ord == c.to.Read.Ord || slices.Contains(e.Data, i) || e.Const == "" && slices.Contains(e.Control, i))
	})
}

// isOwnNumber: the receiver draws a number from the counter by an atomic increment of its own, as the name of the object that it makes: the
// value says nothing about objects of other goroutines.
//
//	id := s.last.Add(1)
//	s.enter(&file{id: id})
//
// A number that is computed from it is the name of another object:
//
//	prev := s.blocks[id-1]
func (c *earlySignal) isOwnNumber() bool {
	at, f := c.to.At, c.to.Fn
	if !at.Writes() || at.Effect() != summary.Raises || f.DecidesBranch(at.Values) {
		return false
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if op, ok := instr.(*ssa.BinOp); ok && f.Slice(op).HasAny(at.Values) {
				return false
			}
		}
	}
	return true
}

// isOwnToken: the channel is a semaphore, and who calls Done takes out what it has put in itself: the
// element tells nothing of another call.
//
//	t.slots <- struct{}{}; t.wg.Add(1) // to begin
//	<-t.slots; t.wg.Done()             // to end
func (c *earlySignal) isOwnToken() bool {
	return announce.IsCount(c.to.Read) && c.to.Read.Writes() && c.signal.Kind == announce.Sends &&
		!slices.ContainsFunc(c.to.Values, func(v ssa.Value) bool { return len(ssautil.Uses(v)) > 0 })
}

// withdraws: the function takes away what was there. A receiver that finds it may use it to the
// end, or has to live without in either order.
//
//	close(s.stop)
//	s.mu.Lock(); s.conn = nil; s.mu.Unlock()
func (c *earlySignal) withdraws() bool {
	if c.write.Op&summary.Delete != 0 {
		return true
	}
	return c.write.Empties() && slices.ContainsFunc(c.to.Read.Values, func(v ssa.Value) bool { return ssautil.IsReference(v.Type()) })
}

// writtenBefore: the function writes the data before the signal as well, or gives it by a call of one
// that writes the data: the order is that of the callee.
//
//	s.set(closing)
//	close(s.done)
//	s.set(closed)
//
// So it does if it makes the object with the data, and gives it other data later.
//
//	s := &slot{h: none}
//	t.slots[name] = s
//	s.mu.Lock(); s.h = h; s.mu.Unlock()
func (c *earlySignal) writtenBefore() bool {
	if made := c.d.f.Res.Definition(c.write.Base); c.write.Base.IsFresh() && made != nil && setsEarly(made, c.write.Loc, func(set ssa.Instruction) bool {
		return set != c.signal.At.Instr && set != c.write.Instr && c.d.f.Order().Exists(summary.Way{From: set, To: c.signal.At.Instr, Avoid: c.write.Instr})
	}) {
		return true
	}
	return slices.ContainsFunc(c.d.signals.Written(c.d.f), func(e *summary.Event) bool {
		return e != c.write && e.Loc == c.write.Loc && accesspath.Same(e.Base, c.write.Base) &&
			(e.Instr == c.signal.At.Instr || c.d.precedes(e, c.signal.At))
	})
}

// asksFlag: the read of the data is control dependent on a read of another variable of the object, in one critical section, and
// the function writes both in one section.
//
//	s.mu.Lock(); s.h, s.ready = h, true; s.mu.Unlock()
//
//	if s.ready { s.h.lift() } // under s.mu
//
// A constant in a new object that the receiver branches on is such a flag itself: its zero value says that the object is not complete.
func (c *earlySignal) asksFlag() bool {
	g := c.to.Fn
	if c.signal.Kind == announce.Inserts && c.write.Const != "" && c.write.Base.IsFresh() && isAsked(g, c.to.Read) {
		return true
	}
	return slices.ContainsFunc(g.Events, func(test *summary.Event) bool {
		return test.Reads() && test.Loc != c.to.Read.Loc && test.Loc != c.signal.At.Loc && accesspath.Same(test.Base, c.to.Read.Base) && summary.SharePassage(test, c.to.Read) &&
			(g.Decides(test, c.to.Read.Instr.Block()) || g.IsWaitedFor(test, c.to.Read)) && slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
			return w.Writes() && w.Loc == test.Loc && accesspath.Same(w.Base, c.write.Base) && summary.SharePassage(w, c.write)
		})
	})
}

// isAsked reports whether a branch is on what was read.
func isAsked(f *summary.Func, r *summary.Event) bool {
	for range f.BranchesOn(r.Values) {
		return true
	}
	return false
}

// oneStep: a lock is held from the signal to the write, which the receiver needs as well.
func (c *earlySignal) oneStep() bool {
	g := c.to.Fn
	locks := slices.Concat(g.Locks(c.to.At), g.Locks(c.to.Read))
	return slices.ContainsFunc(c.d.f.HeldForward(c.signal.At, c.write), func(l accesspath.Location) bool { return slices.Contains(locks, l) })
}

// waitsForMore: the receiver waits for something else between the signal and the read.
//
//	r := h.room(name)
//	<-r.ready
//	r.mu.Lock(); bed := r.bed; r.mu.Unlock()
func (c *earlySignal) waitsForMore() bool {
	g, from, to := c.to.Fn, c.to.At.Instr, c.to.Read.Instr
	return slices.ContainsFunc(c.d.signals.Receptions(g), func(r announce.Reception) bool {
		return r.Blocks() && r.At.Instr != from && r.At.Instr != to && g.Order().MustPass(from, r.At.Instr, to)
	})
}

// looksAgain: the receiver goes back to the read if it does not find the data, and does nothing
// else. A receiver that consumes the signal does not wait for another one before that, and a receiver that has loaded the
// key of the data loads the key again.
//
//	<-s.wake
//	for s.next() == nil { … }
func (c *earlySignal) looksAgain() bool {
	g := c.to.Fn
	for br := range g.BranchesOn(c.to.Read.Values) {
		if g.Order().Flows(c.to.Read.Instr, br) && slices.ContainsFunc(br.Block().Succs, c.goesBack) {
			return true
		}
	}
	return false
}

// goesBack reports whether all paths of the receiver from a block go to the read.
func (c *earlySignal) goesBack(from *ssa.BasicBlock) bool {
	to := c.to.Read.Instr.Block()
	if c.ofName() {
		to = c.to.At.Instr.Block()
	}
	return leadsBack(from, to, func(b *ssa.BasicBlock) bool { return c.signal.Kind.Consumed() && b == c.to.At.Instr.Block() })
}

// leadsBack reports whether every path from block from reaches block to before it returns, and before it enters a block for which ends
// holds.
func leadsBack(from, to *ssa.BasicBlock, ends func(*ssa.BasicBlock) bool) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	back := false
	for work := []*ssa.BasicBlock{from}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		switch {
		case b == to:
			back = true
			continue
		case seen[b]:
			continue
		case len(b.Succs) == 0, ends(b):
			return false
		}
		seen[b] = true
		work = append(work, b.Succs...)
	}
	return back
}

// relies: the receiver decides by what it has read, follows it, or hands it on. What only counts has to
// decide.
func (c *earlySignal) relies() bool {
	if announce.IsCount(c.to.Read) {
		return true
	}
	g, values := c.to.Fn, c.to.Read.Values
	counts := c.write.Delta()
	if !counts && failsOnNil(g, c.to.Read) != nil {
		return true
	}
	for _, k := range g.Sinks() {
		if !counts && k.Data.HasAny(values) || slices.ContainsFunc(k.Conditions, func(b summary.Condition) bool { return b.Slice.HasAny(values) }) {
			return true
		}
	}
	return false
}

// announces: at least half of the places that give the signal are in functions that write the data,
// too.
func (c *earlySignal) announces() bool {
	with, all := c.d.signals.Accompanied(c.signal, c.write.Loc, c.isFollowed())
	return with*2 >= all
}

// concurrent: the receiver can run beside the function.
func (c *earlySignal) concurrent() bool { return c.d.pkg.Processes().MayRunTogether(c.d.f, c.to.Fn) }

// asksElse reports whether the receiver follows what it has tested by another read of the same section.
func (c *earlySignal) asksElse() bool { return isTestedBefore(c.to.Fn, c.to.Read) }

// asks: the receiver tests whether there is data, and knows what to do if not. Who finds no
// error takes that for an answer, and who has taken the signal away gets no other.
func (c *earlySignal) asks() bool {
	if c.signal.Kind.Consumed() {
		return false
	}
	return c.asksElse() || c.to.Read.Tested() || slices.ContainsFunc(c.to.Read.Values, func(v ssa.Value) bool {
		if _, basic := v.Type().Underlying().(*types.Basic); basic && c.to.Read.Key == "" || ssautil.IsError(v.Type()) {
			return false
		}
		for br := range c.to.Fn.BranchesOn([]ssa.Value{v}) {
			if x := branch.Alone(br.Cond, true); x.Subject == v && (x.Nil() || x.NonNil() || x.Present() || x.Absent() || x.Empty() || x.NonEmpty()) {
				return true
			}
		}
		return false
	})
}
