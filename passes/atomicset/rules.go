package atomicset

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// An inferred set shows how the lock is used; it does not show that all accesses of one
// function must be one atomic step. These rules select the violations of inferred sets
// that may be defects. Violations of declared sets are all reported.
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
// which another process can interfere, by an interleaving within the bounds of the
// search.
type inferredViolation struct {
	*violation
	a *analyzed
}

// lockHeldThrough: outer lock. The unit holds a lock from its first access to its last. The interfering
// process holds another lock, or none: the set may have been inferred with the wrong
// guard.
//
//	s.mu.Lock() // the inferred guard of s.n and s.m is another lock
//	s.n++
//	s.m++
//	s.mu.Unlock()
func (c *inferredViolation) lockHeldThrough() bool { return c.through }

// latch: monotone flag. The violation is about one location that is only ever set to one
// constant. Between two reads it can only become set, and the second access is
// idempotent.
//
//	if !s.Closed() {
//		s.Close() // s.closed = true
//	}
func (c *inferredViolation) latch() bool {
	info := c.location()
	return info != nil && info.Latch != ""
}

// insertOnly: monotone container. The violation is about one container whose writers only insert
// absent elements. The insertion of the unit is a no-op if a rival has inserted before.
//
//	if !s.Has(k) {
//		s.Add(k) // inserts only if k is absent
//	}
func (c *inferredViolation) insertOnly() bool {
	info := c.location()
	return info != nil && info.InsertOnly
}

// location returns the entry of the location that the violation is about, or nil if it is
// about two.
func (c *inferredViolation) location() *summary.LocInfo {
	if c.scenario.Locations() != 1 {
		return nil
	}
	i := slices.IndexFunc(c.set.members, func(m member) bool { return m.name() == c.names[0] })
	return c.a.pkg.Location(c.set.members[i].loc)
}

// dependent: the second access depends on the first by data or control, or both values
// are used together, or the dependency is unknown. Without one, no serial order is
// observably violated.
//
//	v := s.Get()
//	s.Put(k, 7) // does not depend on v
func (c *inferredViolation) dependent() bool {
	f, firsts, seconds := c.events()
	return len(firsts) == 0 || len(seconds) == 0 || c.anyDependent(f, firsts, seconds, func(i, j int) bool { return true })
}

// looksAgain: revalidation. For every dependency of the second access on the first, the second access
// is also control-dependent on a later read of the location, or is such a read.
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

// anyDependent reports whether one of the second accesses depends on one of the first,
// such that holds is true for the two.
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

// events returns the accesses of the function that may be the two accesses of the unit,
// if one function makes both.
func (c *inferredViolation) events() (f *summary.Func, firsts, seconds []int) {
	own := c.accessesOf(0)
	// A callee of the unit may make both accesses.
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

// eventsAt returns the accesses at a position.
func eventsAt(f *summary.Func, pos token.Pos) []int {
	var out []int
	for i, e := range f.Events {
		if e.Instr.Pos() == pos || e.Pos.Pos == pos {
			out = append(out, i)
		}
	}
	return out
}

// elementsOf adds to the reads of containers the reads of their elements: a lookup reads
// the field that holds the map, and then the map.
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

// looksAgain reports whether access j of a function is control-dependent on a read of the
// location after access i, or is a read that a branch depends on.
func (a *analyzed) looksAgain(f *summary.Func, i, j int) bool {
	first, second := f.Events[i], f.Events[j]
	if first.Loc != second.Loc || first.Key != second.Key {
		return false
	}
	if !second.Writes() {
		return f.DecidesBranch(second.Values)
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

// Positions returns the positions of the accesses of the unit, that of the report first.
func (c *inferredViolation) Positions() []token.Pos {
	out := []token.Pos{c.act.Site}
	for _, s := range c.accessesOf(0) {
		out = append(out, s.Site, s.Pos)
	}
	return out
}
