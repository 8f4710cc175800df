package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// claimList returns the claims of f.
func (f *Body) claimList() []claim {
	if f.claims == nil {
		f.claims = []claim{}
		for _, set := range f.Events {
			if c, ok := f.claim(set); ok {
				f.claims = append(f.claims, c)
			}
		}
	}
	return f.claims
}

// claim returns the claim that the write set acquires, if it is one.
func (f *Body) claim(set *Event) (claim, bool) {
	from, ok := f.acquired(set)
	if !ok {
		return claim{}, false
	}
	c := claim{set: set, from: from, clears: f.clears(set)}
	if len(c.clears) == 0 {
		return claim{}, false
	}
	c.again = f.again(set.Instr)
	path := set.Loc.Of(set.Base)
	if set.Key != "" {
		path = path.Index(set.Key)
	}
	c.Guard = lockset.Guard{Path: path, Class: set.Loc, Mode: lockset.Exclusive}
	return c, true
}

// acquired reports whether a write sets a flag that was clear, and returns the first block in
// which this is known, nil if it is so whenever the write has been made.
func (f *Body) acquired(set *Event) (*ssa.BasicBlock, bool) {
	switch {
	case !set.Writes() || set.Within != nil || set.Op&fact.Delete != 0 || len(set.Holds) == 0 || set.Base.IsLocal():
		return nil, false
	case set.Callee != nil:
		return f.leftSet(set)
	case set.Op&fact.Compare != 0:
		from := f.from(set)
		return from, from != nil
	}
	return nil, f.isTested(set)
}

// isTested reports whether a write is decided by a test of the same place in its section.
func (f *Body) isTested(set *Event) bool {
	return slices.ContainsFunc(set.Control, func(i int) bool {
		test := f.Events[i]
		return test.Reads() && sameElement(test, set) && SharePassage(test, set)
	}) || f.isAwaited(set)
}

// isAwaited reports whether a write comes after a loop that ends when a test, in the section of
// the write, finds another value than the one that is written. No branch decides whether control
// gets to the write, and yet the flag is clear there:
//
//	for s.busy {
//		s.cond.Wait() // or: unlock, sleep, lock
//	}
//	s.busy = true
func (f *Body) isAwaited(set *Event) bool {
	return slices.ContainsFunc(f.Events, func(test *Event) bool {
		if test.Callee != nil || !test.Reads() || !sameElement(test, set) || !SharePassage(test, set) || f.leavesBetween(test, set) {
			return false
		}
		for br := range depgraph.Branches(f.Fn) {
			side := branch.Side(br.Cond, func(is branch.Fact) bool { return slices.Contains(test.Values, is.Subject) && excludes(is, set) })
			if side >= 0 && ssautil.Precedes(test.Instr, br) && ssautil.Precedes(br, set.Instr) &&
				!f.Order().Exists(Way{From: br.Block().Succs[1-side].Instrs[0], To: set.Instr, Avoid: test.Instr}) {
				return true
			}
		}
		return false
	})
}

// leavesBetween reports whether the section that two accesses share may end between them.
func (f *Body) leavesBetween(a, b *Event) bool {
	return !slices.ContainsFunc(a.Holds, func(h Hold) bool {
		return slices.ContainsFunc(b.Holds, h.SamePassage) && !f.Order().EndsBetween(a.Instr, b.Instr, h.Path)
	})
}

// excludes reports whether a fact about a flag excludes that it has the value of a write.
func excludes(is branch.Fact, set *Event) bool {
	switch {
	case is.True():
		return set.Const == "false"
	case is.False():
		return set.Const == "true"
	case is.Nil():
		return set.Const != "nil"
	case is.Const == nil || set.Const == "":
		return false
	case is.Relation == branch.Equal:
		return is.Const.ExactString() != set.Const
	}
	return is.IsNot(is.Const) && is.Const.ExactString() == set.Const
}

// Takes reports whether a write takes a flag: of the goroutines that find it clear, only one sets it.
//
//	s.mu.Lock()
//	if s.started { s.mu.Unlock(); return }
//	s.started = true
//	s.mu.Unlock()
//
//	if s.started.Swap(true) { return } // or a compare-and-swap
func (f *Body) Takes(set *Event) bool {
	if !set.Writes() || set.Callee != nil || set.Within != nil || set.Key != "" || set.Op&fact.Delete != 0 || len(set.Holds) == 0 || set.Empties() {
		return false
	}
	if set.Reads() {
		return f.from(set) != nil
	}
	return f.isTested(set)
}

// TakenAt returns the writes that take a flag, see Takes, and are made whenever control reaches
// an instruction.
func (f *Body) TakenAt(instr ssa.Instruction) []*Event {
	return slices.DeleteFunc(slices.Clone(f.Events), func(set *Event) bool {
		var from *ssa.BasicBlock
		switch {
		case set.Callee != nil:
			left, ok := f.acquired(set)
			if from = left; !ok || set.Empties() {
				return true
			}
		case !f.Takes(set):
			return true
		case set.Reads():
			from = f.from(set)
		}
		if from != nil {
			return !from.Dominates(instr.Block())
		}
		return !ssautil.Precedes(set.Instr, instr)
	})
}

// from returns the first block in which an atomic operation has set a flag that was clear: a
// compare-and-swap that has succeeded, or a swap that has returned false. It is nil if there is
// no such block.
func (f *Body) from(set *Event) *ssa.BasicBlock {
	taken := branch.Fact.False
	switch {
	case set.Op&fact.Compare != 0 && isInsertion(set):
	case set.Op&fact.Compare != 0:
		taken = branch.Fact.True
	case !set.replaces:
		return nil
	}
	for br := range depgraph.Branches(f.Fn) {
		side := branch.Side(br.Cond, func(is branch.Fact) bool { return slices.Contains(set.Values, is.Subject) && taken(is) })
		if side >= 0 && len(br.Block().Succs[side].Preds) == 1 {
			return br.Block().Succs[side]
		}
	}
	return nil
}

// isInsertion reports whether an atomic operation is an insert-if-absent, whose second result is whether the element was present:
//
//	_, loaded := s.busy.LoadOrStore(k, true)
func isInsertion(set *Event) bool {
	call, ok := set.Instr.(*ssa.Call)
	return ok && call.Call.Signature().Results().Len() == 2
}

// clears returns the writes that may clear the flag of set in a later critical section.
func (f *Body) clears(set *Event) []*Event {
	var out []*Event
	for _, e := range f.Events {
		taken := e.Op&fact.Delete != 0 || e.Const == "nil" || e.Const != "" && e.Const != set.Const
		if e.Writes() && e.Op&fact.Compare == 0 && taken && sameElement(e, set) && !SharePassage(e, set) && f.Order().Flows(set.Instr, e.Instr) {
			out = append(out, e)
		}
	}
	return out
}

// sameElement reports whether two accesses are to the same element of the same object.
func sameElement(a, b *Event) bool {
	return a.Loc == b.Loc && accesspath.Same(a.Base, b.Base) && (a.Key == b.Key || accesspath.SameElement(a.Key, b.Key))
}

// Claimed returns the claims that are held when control reaches instr.
func (f *Body) Claimed(instr ssa.Instruction) []claim { return f.claimed(instr, nil) }

// ClaimedBy returns the claims that are held at an access, see hasClaimed.
func (f *Body) ClaimedBy(e *Event) []claim { return f.claimed(e.Instr, e) }

func (f *Body) claimed(instr ssa.Instruction, e *Event) []claim {
	claims := f.claimList()
	if len(claims) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(claims), func(c claim) bool { return !f.hasClaimed(c, instr, e) })
}

// hasClaimed reports whether a claim is held when control reaches instr, or in the critical section
// of e, if that is not nil: who clears the flag there keeps others away until the section ends.
func (f *Body) hasClaimed(c claim, instr ssa.Instruction, e *Event) bool {
	switch {
	case c.set.Instr == instr:
		return false
	case c.from != nil && !c.from.Dominates(instr.Block()):
		return false
	case c.from == nil && !c.isMade(instr):
		return false
	}
	if c.untilReturn() {
		return true
	}
	o := f.Order()
	inSection := func(clear *Event) bool { return e != nil && SharePassage(clear, e) }
	return slices.ContainsFunc(c.clears, func(clear *Event) bool {
		return clear.Instr == instr || o.Flows(instr, clear.Instr) || inSection(clear)
	}) && !slices.ContainsFunc(c.clears, func(clear *Event) bool {
		return !inSection(clear) && o.Flows(clear.Instr, instr) && !o.MustPass(clear.Instr, c.set.Instr, instr)
	})
}

// isMade reports whether the flag has been set whenever control reaches an instruction: the write
// dominates it, or it is on a side of a branch with the condition on which the write is made.
//
//	if !found { p.dialing[addr] = wait }
//	p.mu.Unlock()
//	if !found { … } // p.dialing[addr] is set
func (c claim) isMade(instr ssa.Instruction) bool {
	return ssautil.Precedes(c.set.Instr, instr) || slices.ContainsFunc(c.again, func(s side) bool { return branch.Taken(s.br, instr.Block()) == s.taken })
}

// again returns the sides of later branches that are taken only if an instruction has been executed:
// they have the condition of the branch whose side begins with its block.
func (f *Body) again(set ssa.Instruction) []side {
	b := set.Block()
	if len(b.Preds) != 1 {
		return nil
	}
	first, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	is := branch.Alone(first.Cond, first.Block().Succs[0] == b)
	var out []side
	for br := range depgraph.Branches(f.Fn) {
		for taken := range br.Block().Succs {
			if br != first && first.Block().Dominates(br.Block()) && branch.Alone(br.Cond, taken == 0).Equal(is) {
				out = append(out, side{br, taken})
			}
		}
	}
	return out
}

// claimedThrough returns the claims that are held from access a to access b, as locks. A claim
// is held in all of the critical section in which it is acquired, and in that in which it is
// released, as others look for it in another one.
func (f *Body) claimedThrough(a, b *Event) []lockset.Guard {
	var out []lockset.Guard
	for _, c := range f.claimList() {
		if f.hasClaimed(c, a.Instr, nil) || f.beginsIn(c, a, b) {
			if f.reaches(c, a, b) {
				out = append(out, c.Guard)
			}
		}
	}
	return out
}

// beginsIn reports whether the claim is acquired in the critical section of a, on the way to b.
func (f *Body) beginsIn(c claim, a, b *Event) bool {
	return SharePassage(a, c.set) && a != c.set && (a.Instr == c.set.Instr || f.Order().MustPass(a.Instr, c.set.Instr, b.Instr) || f.Order().Flows(a.Instr, c.set.Instr) && c.isMade(b.Instr))
}

// reaches reports whether a claim that is held at a, or from its section on, is held at b.
func (f *Body) reaches(c claim, a, b *Event) bool {
	if !f.hasClaimed(c, b.Instr, b) {
		return false
	}
	o := f.Order()
	return !slices.ContainsFunc(c.clears, func(clear *Event) bool {
		switch _, deferred := clear.Instr.(*ssa.Defer); {
		case deferred || SharePassage(clear, b):
			return false
		case clear.Instr == b.Instr:
			return clear.before(b)
		}
		return o.Flows(a.Instr, clear.Instr) && o.Flows(clear.Instr, b.Instr)
	})
}

// before reports whether e may come before an access of the same call, in an earlier critical
// section of the callee.
func (e *Event) before(o *Event) bool {
	for _, h := range e.Holds {
		for _, g := range o.Holds {
			if h.Inner && g.Inner && h.Region.number < g.Region.number {
				return true
			}
		}
	}
	return false
}

// Held returns the locks that are held without interruption from a to b, claims included.
// If forward is set, paths that first go round a loop are ignored.
func (o *Order) Held(a, b *Event, forward bool) []lockset.Guard {
	var out []lockset.Guard
	for _, h := range a.Holds {
		g := b.Hold(h.Path)
		if g == nil || h.Inner || g.Inner {
			continue
		}
		if !o.Ends(a, b, h.Path, forward) {
			out = append(out, h.Guard)
		}
	}
	return append(out, o.f.claimedThrough(a, b)...)
}
