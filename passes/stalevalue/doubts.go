package stalevalue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// What speaks against a finding: not that the value is stale, but that it does harm.

// isDeep: the section of the act, or the act itself, is several calls away. A value shows its way
// through the callees; a decision may be taken again there, unless what is asked there is known to be less.
func (c *candidate) isDeep() bool {
	if c.act.Deep() || c.read.Deep() {
		return true
	}
	switch {
	case c.category() == lostUpdate, c.admitsOthers():
		return false
	case c.link == removedElement, c.link == outdatedRemoval:
		return c.act.Calls() > 2 // what is decided there is not what was chosen by
	}
	return c.act.Depth() > 1 && !c.actsAnyway() || c.act.Calls() > 2 || c.act.Calls() > 1 && c.actIsDecided()
}

// actsAnyway reports whether the act is on the element that was looked up, or is made by the receiver
// of a message, and is not decided by the callee.
func (c *candidate) actsAnyway() bool {
	if c.distant == nil && (c.read.Key == "" || !c.sameCell() && c.link != madeElement) {
		return false
	}
	return !c.actIsDecided()
}

// actIsDecided reports whether the act has a control dependence on shared memory in the callee. A check of arguments, of an
// error, or of another object, is no second decision.
func (c *candidate) actIsDecided() bool {
	callee := c.act.Callee
	return callee != nil && slices.ContainsFunc(callee.Accesses[c.act.Index].Control, func(i int) bool {
		looked := &callee.Accesses[i]
		return looked.Regions != 0 && c.concerns(looked, looked.Regions)
	})
}

// concerns reports whether a look of the callee that makes the act is a second decision about it: at the object that is written, under the lock
// of what was read or is written, in one of the regions, or at what the callee writes as well, so that one act is made in each state.
//
//	func (s *Scheduler) launch(j job) {
//		s.mu.Lock(); defer s.mu.Unlock()
//		if s.closed { return } // decides nothing about the quota
//		s.quota.Take(j.cores)  // an object with a lock of its own
//	}
func (c *candidate) concerns(looked *summary.Access, regions uint64) bool {
	callee := c.act.Callee
	if looked.Base == callee.Accesses[c.act.Index].Base || slices.ContainsFunc(callee.Accesses, func(a summary.Access) bool {
		return a.Op&summary.Write != 0 && a.Loc == looked.Loc && a.Base == looked.Base
	}) {
		return true
	}
	guards := append([]accesspath.Location{c.guard.Class}, c.d.pkg.Location(c.act.Loc).Guards...)
	for i, r := range callee.Regions {
		if regions&(1<<i) != 0 && slices.Contains(guards, r.Class) {
			return true
		}
	}
	return false
}

// endsTwice: the act closes the channel of which the function has found that it is open, and that two do this at once is only assumed
// of the callers.
//
//	func (s *Server) Close() {
//		select {
//		case <-s.quit:
//		default:
//			close(s.quit)
//		}
//	}
//
// The check is then for a second call that comes after the first one. If a goroutine of the package closes the channel too, the two
// may come at once.
func (c *candidate) endsTwice() bool {
	return summary.IsSignalFlag(c.read.Loc) && c.sameCell() && c.act.Callee == nil && c.d.f.Fn.Signature.Recv() != nil && c.read.Base.Root() == accesspath.Param(0) && !c.anyRival(func(r rival) bool {
		return r.runs() && c.d.pkg.Processes().Started(c.d.f, c.read.Base, r.writer)
	})
}

// fillsForgetful: what was not found is put into a cache of another package, which removes elements when others are put in.
//
//	v, ok := s.cache.Get(k)
//	if !ok { v = s.load(k); s.cache.Add(k, v) }
//
// Such an element may be absent at any time, whatever others do, and may be put in again. The doubt does not hold if the caller
// learns whether the element was there:
//
//	if _, used := s.nonces.Get(k); used { return errReused }
//	s.nonces.Add(k, true)
//	return nil
func (c *candidate) fillsForgetful() bool {
	if c.act.Callee == nil || c.d.isOfPackage(c.read) || c.tellsCallers() {
		return false
	}
	puts, removes := false, false
	for _, a := range c.act.Callee.Accesses {
		switch {
		case a.Loc != c.read.Loc || a.Op&summary.Write == 0:
		case a.Op&summary.Delete != 0:
			removes = true
		case a.Key != "":
			puts = true
		default:
			removes = removes || isRebuilt(c.act.Callee, a)
		}
	}
	return puts && removes
}

// isRebuilt reports whether an access of a function puts a container in the place of another one that it was computed from, without the
// elements that are to be forgotten.
func isRebuilt(f *summary.FuncSummary, a summary.Access) bool {
	return slices.ContainsFunc(a.Data, func(i int) bool { return f.Accesses[i].Loc == a.Loc })
}

func (c *candidate) isElsewhere() bool { return c.read.Loc != c.act.Loc }

// isUnrelated: all that ties the act to what was read is that the section of the act
// handles both: nobody writes them together, and the check is not made for the act.
//
//	s.mu.Lock(); n := s.n; s.mu.Unlock()
//	if n > limit { log.Print(n) }
//	s.mu.Lock(); s.last = s.n; s.mu.Unlock()
func (c *candidate) isUnrelated() bool {
	r, w := c.read, c.act
	return r.Loc != w.Loc && c.decides && w.Hold(c.guard.Path) != nil && !c.info.IsJoint(w.Loc) &&
		c.d.handles(w, r) && !c.d.f.LeadsTo(r, w.Instr.Block())
}

// far is the number of selectors from one object to another that is not near.
const far = 3

// isFarAway: the act is on an object that is reached from that of the read by way of
// several others.
//
//	if s.Up() {
//		s.peers.table.first.stats.n = 0
//	}
func (c *candidate) isFarAway() bool {
	if c.read.Loc == c.act.Loc {
		return false
	}
	from := accesspath.Unknown
	if c.act.Base.Within(c.read.Base) {
		from = c.read.Base
	}
	n := 0
	for way := c.act.Base; way != from && way != way.Root(); way = way.Parent() {
		n++
	}
	return n >= far
}

// isLongOperation: the function asks and changes an object by way of callees that lock it, makes several
// other calls in between, with no lock, and nothing that the package starts runs the rivals beside it. That
// the callers do is assumed, and those of a long operation mostly keep it to one for each object:
//
//	func (d *Driver) Start(id string) error {
//		if _, ok := d.tasks.Get(id); ok {
//			return errExists
//		}
//		dir, err := d.prepare(id)
//		// d.configure, d.connect, d.launch
//		d.tasks.Set(id, task)
//		return nil
//	}
func (c *candidate) isLongOperation() bool {
	return c.read.Callee != nil && c.act.Callee != nil && !slices.ContainsFunc(c.read.Holds, isOuter) &&
		c.d.f.Order().IsLong(c.read.Instr, c.act.Instr) && !c.isStarted()
}

// isStarted reports whether one of the first rivals runs beside the function whatever the callers do.
func (c *candidate) isStarted() bool {
	n := 0
	return c.anyRival(func(r rival) bool {
		if !r.runs() {
			return false
		}
		n++
		return n > limit.NotedWriters || c.d.pkg.Processes().Started(c.d.f, c.read.Base, r.writer)
	})
}

// isForeignChoice: both accesses are of an object that the function has got in an interface, and no function of the package has a value of the type that
// is known to implement it. What code outside the package passes in may be of another type, or nobody else's.
//
//	func Open(logs LogStore) error { // (*MemStore) is one, which only other packages make
//		if ok, _ := logs.Empty(); ok { return logs.Store(first) }
//	}
func (c *candidate) isForeignChoice() bool {
	graph := c.d.pkg.Views().Graph
	return graph.IsChosen(c.d.f.Node, c.read.Base, c.read.Loc) && graph.IsChosen(c.d.f.Node, c.act.Base, c.act.Loc)
}

// isOuter reports whether a lock is held around the call that makes an access.
func isOuter(h summary.Hold) bool { return !h.Inner }

// isAtomicStep: the callee that acts does one atomic operation, for which it takes no
// lock.
//
//	if s.Count() < limit {
//		s.Add(1) // s.n.Add(1)
//	}
//
// A lock tells what is meant to be one step; here nothing does, unless it is a late count, or
// an element of a sync.Map, which is put in because the look-up has not found it. A store by a method of
// the variable's own type is the access itself, and no step of an operation:
//
//	type mode int32
//	func (m *mode) set(v int32) { atomic.StoreInt32((*int32)(m), v) }
func (c *candidate) isAtomicStep() bool {
	return !c.addsWhatWasCompared() && c.category() != lostUpdate && !c.isAccessor() && c.act.Writes() && c.act.Key == "" && !c.link.keeps() && c.act.Callee != nil && slices.ContainsFunc(c.act.Holds, summary.Hold.IsAtomic) &&
		!slices.ContainsFunc(c.act.Holds, func(h summary.Hold) bool { return h.Inner && !h.IsAtomic() })
}

// addsWhatWasCompared reports whether the amount by which the act changes a number is what the check has compared the number with: they
// are one step of an operation.
//
//	if s.credit.Left() < n { return errNoCredit }
//	s.credit.Spend(n) // b.n.Add(-n)
func (c *candidate) addsWhatWasCompared() bool {
	call, ok := c.act.Instr.(ssa.CallInstruction)
	if !ok || !c.act.Delta() || !c.sameCell() {
		return false
	}
	return slices.ContainsFunc(c.conditions(), func(cond ssa.Value) bool {
		f := branch.Alone(cond, true)
		if f.Other == nil {
			return false
		}
		with := branch.Plain(c.comparand(f))
		return slices.ContainsFunc(call.Common().Args, func(a ssa.Value) bool { return branch.Plain(a) == with })
	})
}

// isAccessor reports whether the callee that acts is a method of the type of the variable, that is
// of a type without fields of its own.
func (c *candidate) isAccessor() bool {
	call, ok := c.act.Instr.(ssa.CallInstruction)
	if !ok || call.Common().StaticCallee() == nil {
		return false
	}
	recv := call.Common().StaticCallee().Signature.Recv()
	if recv == nil {
		return false
	}
	_, hasFields := ssautil.Deref(recv.Type()).Underlying().(*types.Struct)
	return !hasFields
}

// readsMore reports whether the callee that makes a read reads other variables, too.
func (d *detector) readsMore(r *summary.Event) bool {
	return r.Callee != nil && slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool { return e.Ord == r.Ord && e.Reads() && e.Loc != r.Loc })
}

// isFailure: all that was read is an error, or the decision depends on what was read only
// in so far as a call that was given it may fail.
//
//	if err := write(s.Addr()); err != nil {
//		s.SetAddr("")
//	}
//
// A callee that returns an error for an absent element, or for any other value that it has read, is a
// check as any other; so is a test of a stored error, if a visible effect follows the store of the first one. If the branch is a
// detour, the act is control dependent on the failure only.
func (c *candidate) isFailure() bool {
	return c.read.OnlyErrors() && c.read.Op&summary.Presence == 0 && !c.read.IsVerdict() && !c.tellsFirst() || c.onlyFails()
}

// tellsFirst reports whether the act stores an error where the check has found none, and a visible effect follows: two goroutines that
// find none have the effect twice.
//
//	if g.failure() != nil { return }
//	g.setFailure(err)
//	g.onFail(err)
func (c *candidate) tellsFirst() bool {
	if !c.sameCell() || c.data || c.act.Op&summary.Delete != 0 || c.act.Const != "" || c.d.readsMore(c.read) {
		return false
	}
	at := c.act.Instr
	return c.hasEffects(func(instr ssa.Instruction) bool {
		return isVisible(instr) && at.Block().Dominates(instr.Block()) && c.d.f.Order().Flows(at, instr)
	})
}

func (c *candidate) onlyFails() bool {
	if h := c.read.Hold(c.guard.Path); c.data || c.link == writeSkew || c.read.Callee != nil && (h == nil || h.Inner) {
		return false // what a getter returns may be checked by whom it is given to
	}
	isFailure := c.d.f.IsFailure
	if c.read.Callee != nil {
		isFailure = c.d.f.IsOutsideFailure
	}
	conds := c.conditions()
	return len(conds) > 0 && !slices.ContainsFunc(conds, func(cond ssa.Value) bool { return !isFailure(cond, c.read.Values) && !c.isDetour(cond) })
}

// decidesItself: something that is read in the section of the act decides about it, too.
//
//	if s.Ready() {
//		s.mu.Lock()
//		if s.n > 0 { s.n-- }
//		s.mu.Unlock()
//	}
func (c *candidate) decidesItself() bool {
	w := c.act
	if c.admitsOthers() {
		return false
	}
	if w.Callee != nil {
		a := &w.Callee.Accesses[w.Index]
		return slices.ContainsFunc(a.Control, func(i int) bool {
			looked := &w.Callee.Accesses[i]
			// To fill a place includes to look whether it is empty.
			place := looked.Loc == a.Loc && w.Loc != c.read.Loc && c.fills()
			return looked.Regions&a.Regions != 0 && !place && c.concerns(looked, looked.Regions&a.Regions)
		})
	}
	return slices.ContainsFunc(w.Control, func(i int) bool {
		e := c.d.f.Events[i]
		return i != c.readIndex && c.d.oneSection(e, w) && !summary.SharePassage(e, c.read)
	})
}

// isSerial: a doc comment says that the function, or one that all its callers have in
// common, does not run beside the only writers that could come in between.
//
//	// write must not be called concurrently.
//	func (l *log) write() { l.set(l.get() + 1) }
func (c *candidate) isSerial() bool {
	return !c.anyRival(func(r rival) bool {
		return r.runs() && !c.d.pkg.Processes().Documented(c.d.f, c.read.Base, r.writer)
	})
}
