package funcsum

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
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
	if !set.Writes() || set.Callee != nil || set.Within != nil || set.Op&fact.Delete != 0 || len(set.Holds) == 0 || set.Base.IsLocal() {
		return claim{}, false
	}
	c := claim{set: set}
	if set.Op&fact.Compare != 0 {
		if c.from = f.from(set); c.from == nil {
			return claim{}, false
		}
	} else if !f.isTested(set) {
		return claim{}, false
	}
	if c.clear = f.clears(set); c.clear == nil {
		return claim{}, false
	}
	path := memberPath(set.Base, set.Loc)
	if set.Key != "" {
		path = path.Index(set.Key)
	}
	c.Guard = lockset.Guard{Path: path, Class: set.Loc, Mode: lockset.Exclusive}
	return c, true
}

// isTested reports whether a write is decided by a test of the same place in its section.
func (f *Body) isTested(set *Event) bool {
	return slices.ContainsFunc(set.Control, func(i int) bool {
		test := f.Events[i]
		return test.Reads() && sameElement(test, set) && SharePassage(test, set)
	})
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
		switch {
		case !f.Takes(set):
			return true
		case set.Reads():
			return !f.from(set).Dominates(instr.Block())
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

// clears returns the write that clears the flag of set in a later critical section, or nil.
func (f *Body) clears(set *Event) *Event {
	for _, e := range f.Events {
		taken := e.Op&fact.Delete != 0 || e.Const == "nil" || e.Const != "" && e.Const != set.Const
		if e.Writes() && e.Op&fact.Compare == 0 && taken && sameElement(e, set) && !SharePassage(e, set) && f.Order().Flows(set.Instr, e.Instr) {
			return e
		}
	}
	return nil
}

// sameElement reports whether two accesses are to the same element of the same object.
func sameElement(a, b *Event) bool {
	return a.Loc == b.Loc && accesspath.Same(a.Base, b.Base) && (a.Key == b.Key || accesspath.SameElement(a.Key, b.Key))
}

// Claimed returns the claims that are held when control reaches instr.
func (f *Body) Claimed(instr ssa.Instruction) []claim {
	claims := f.claimList()
	if len(claims) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(claims), func(c claim) bool { return !f.hasClaimed(c, instr) })
}

func (f *Body) hasClaimed(c claim, instr ssa.Instruction) bool {
	o := f.Order()
	switch {
	case c.set.Instr == instr:
		return false
	case c.from != nil && !c.from.Dominates(instr.Block()):
		return false
	case c.from == nil && !ssautil.Precedes(c.set.Instr, instr):
		return false
	}
	if c.untilReturn() {
		return true
	}
	if o.Flows(c.clear.Instr, instr) && !o.MustPass(c.clear.Instr, c.set.Instr, instr) {
		return false
	}
	return c.clear.Instr == instr || o.Flows(instr, c.clear.Instr)
}

// claimedThrough returns the claims that are held from a to b, as locks.
func (f *Body) claimedThrough(a, b ssa.Instruction) []lockset.Guard {
	var out []lockset.Guard
	o := f.Order()
	for _, c := range f.Claimed(a) {
		if f.hasClaimed(c, b) && (c.untilReturn() || !(o.Flows(a, c.clear.Instr) && o.Flows(c.clear.Instr, b))) {
			out = append(out, c.Guard)
		}
	}
	return out
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
	return append(out, o.f.claimedThrough(a.Instr, b.Instr)...)
}
