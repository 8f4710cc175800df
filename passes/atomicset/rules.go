package atomicset

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// What is inferred is what people do with the lock; that all they do in one
// function must be one atomic step is not. These rules say which violations of
// inferred sets may be a mistake. Violations of declared sets are all reported.
var rules = rule.Set[*inferredViolation]{
	{
		ID: "lock-held-through", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"locks.Readers.Inc"},
		Holds: (*inferredViolation).lockHeldThrough,
	}, {
		ID: "latch", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"inferred.Gate.Shut"},
		Holds: (*inferredViolation).latch,
	}, {
		ID: "insert-only", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"inferred.Names.Find"},
		Holds: (*inferredViolation).insertOnly,
	}, {
		ID: "dependent", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"accesses.Map.Sum", "accesses.Panics.Apart"},
		Holds: (*inferredViolation).dependent,
	}, {
		ID: "looks-again", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"known.Version.Update"},
		Holds: (*inferredViolation).looksAgain,
	},
}

// An inferredViolation is a candidate: the accesses of a unit to an inferred set, between
// which another process can come, by an interleaving that is not too long to be found.
type inferredViolation struct {
	*violation
	a *analyzed
}

// lockHeldThrough: the unit holds a lock from its first access to its last. The other
// process comes in between under another lock, or none.
//
//	s.mu.Lock() // guards s.n and s.m, says what others do
//	s.n++
//	s.m++
//	s.mu.Unlock()
func (c *inferredViolation) lockHeldThrough() bool { return c.through }

// latch: the violation is about one location that is only ever set: who looks twice may
// find it set the second time, and that is what it is for.
//
//	if !s.Closed() {
//		s.Close() // s.closed = true
//	}
func (c *inferredViolation) latch() bool {
	info := c.location()
	return info != nil && info.Latch != ""
}

// insertOnly: the violation is about one container that only gets elements that were not
// there: who looks twice may find the element there the second time.
//
//	if !s.Has(k) {
//		s.Add(k) // if it is not there
//	}
func (c *inferredViolation) insertOnly() bool {
	info := c.location()
	return info != nil && info.InsertOnly
}

// location returns what is known of the location that the violation is about, nil if it
// is about two.
func (c *inferredViolation) location() *summary.LocInfo {
	if c.scenario.Locations() != 1 {
		return nil
	}
	i := slices.IndexFunc(c.set.members, func(m member) bool { return m.name() == c.names[0] })
	return c.a.pkg.Location(c.set.members[i].loc)
}

// dependent: what the unit does in the second access depends on the first, or what it
// reads in both comes together, or may do so for all that is known.
//
//	v := s.Get()
//	s.Put(k, 7) // whatever v was
func (c *inferredViolation) dependent() bool {
	f, firsts, seconds := c.events()
	return len(firsts) == 0 || len(seconds) == 0 || c.anyDependent(f, firsts, seconds, func(i, j int) bool { return true })
}

// looksAgain: where the second access depends on the first, the unit also decides about
// it, or with it, by what it reads of the location after the first.
//
//	if s.Get(k) == nil {
//		if v := s.Get(k); v != nil {
//			return v
//		}
//		s.Put(k, v)
//	}
func (c *inferredViolation) looksAgain() bool {
	f, firsts, seconds := c.events()
	return c.anyDependent(f, firsts, seconds, func(i, j int) bool { return true }) &&
		!c.anyDependent(f, firsts, seconds, func(i, j int) bool { return !c.a.looksAgain(f, i, j) })
}

// anyDependent reports whether one of the second events depends on one of the first,
// such that something holds for the two.
func (c *inferredViolation) anyDependent(f *summary.Func, firsts, seconds []int, holds func(i, j int) bool) bool {
	for _, i := range firsts {
		for _, j := range seconds {
			e := f.Events[j]
			depends := func() bool {
				_, joined := f.Joined(f.Events[i], e)
				return joined
			}
			if holds(i, j) && (slices.Contains(e.Data, i) || slices.Contains(e.Control, i) || depends()) {
				return true
			}
		}
	}
	return false
}

// events returns those that the two accesses of the unit may be, in the function
// that makes both, if they are known.
func (c *inferredViolation) events() (f *summary.Func, firsts, seconds []int) {
	own := c.accessesOf(0)
	// Both may be made in a function that the unit calls.
	name, places := own[0].Within, [2]token.Pos{own[0].Site, own[1].Site}
	if own[0].Where == own[1].Where {
		name, places = own[0].Where, [2]token.Pos{own[0].Pos, own[1].Pos}
	}
	i := slices.IndexFunc(c.a.pkg.Funcs, func(f *summary.Func) bool { return summary.Name(f.Fn) == name })
	if i < 0 {
		return nil, nil, nil
	}
	f = c.a.pkg.Funcs[i]
	return f, elementsOf(f, eventsAt(f, places[0])), eventsAt(f, places[1])
}

// eventsAt returns the events at a position.
func eventsAt(f *summary.Func, pos token.Pos) []int {
	var out []int
	for i, e := range f.Events {
		if e.Instr.Pos() == pos || e.Pos.Pos == pos {
			out = append(out, i)
		}
	}
	return out
}

// elementsOf adds to the reads of containers those of their elements: a lookup
// reads the field that holds the map, and then the map.
func elementsOf(f *summary.Func, reads []int) []int {
	out := slices.Clone(reads)
	for _, i := range reads {
		for k, e := range f.Events {
			uses := func(v *ssa.Value) bool { return slices.Contains(f.Events[i].Values, *v) }
			if e.Loc == f.Events[i].Loc && e.Reads() && k != i && slices.ContainsFunc(e.Instr.Operands(nil), uses) {
				out = append(out, k)
			}
		}
	}
	return out
}

// looksAgain reports whether a function decides about event j, or with it, by what
// it reads of the location after event i.
func (a *analyzed) looksAgain(f *summary.Func, i, j int) bool {
	first, second := f.Events[i], f.Events[j]
	if first.Loc != second.Loc || first.Key != second.Key {
		return false
	}
	if !second.Writes() {
		for range f.BranchesOn(second.Values) {
			return true
		}
		return false
	}
	return slices.ContainsFunc(second.Control, func(k int) bool {
		e := f.Events[k]
		return k != i && e.Loc == first.Loc && e.Key == first.Key && e.Ord > first.Ord
	})
}

// String describes the candidate for -why.
func (c *inferredViolation) String() string {
	return fmt.Sprintf("%s: %s of the set %s in %s, if %s comes in between",
		inferredCategory, c.scenario.Name(c.names...), c.set, c.u.name(), c.v.name())
}

// Positions returns those of the accesses of the unit, the one to report first.
func (c *inferredViolation) Positions() []token.Pos {
	out := []token.Pos{c.act.Site}
	for _, s := range c.accessesOf(0) {
		out = append(out, s.Site, s.Pos)
	}
	return out
}
