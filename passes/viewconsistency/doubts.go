package viewconsistency

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// The rules of this file speak against a split: not that the pair is no split, but that it does
// harm.

// deep: the accesses are made many calls away, and much may be decided on the way there.
//
//	n := x.first(k) // calls x.low(k), which locks
//	return x.last(k) - n
//
// A load of an atomic variable is most often made in a getter already.
func (c *candidate) deep() bool {
	return c.first.Deep() || c.second.Deep() || max(c.first.Calls(), c.second.Calls()) > 2 ||
		c.isRead() && c.relation != readsOfPublished && max(c.first.Depth(), c.second.Depth()) > 1
}

// longOperation: several calls are made between the two reads, and nothing that the package starts runs
// the code that has the view beside them: that the callers do is assumed.
func (c *candidate) longOperation() bool {
	return c.d.f.Order().IsLong(c.first.Instr, c.second.Instr) && !c.d.pkg.Processes().StartedView(c.d.f, c.first, c.view)
}

// chosen: both accesses are of an object that the function has got in an interface, and no function of the package has a value of the type that is known
// to implement it. What code outside the package passes in may be of another type, or nobody else's.
//
//	func Span(logs LogStore) int { return logs.Last() - logs.First() } // (*MemStore) is one, which only other packages make
func (c *candidate) chosen() bool {
	graph := c.d.pkg.Views().Graph
	return graph.IsChosen(c.d.f.Node, c.first.Base, c.first.Loc) && graph.IsChosen(c.d.f.Node, c.second.Base, c.second.Loc)
}

// manyVariables: the view has so many variables that it says little that two are in it.
//
//	func (s *Server) reset() { // under s.mu
//		s.a, s.b, s.c, s.d, s.e, s.f, s.g, s.h = 0, 0, 0, 0, 0, 0, 0, 0
//	}
//
// The fields of a struct that is in it as a whole are parts of one variable.
func (c *candidate) manyVariables() bool {
	const many = 8
	return c.d.shapeOf(c.view).variables >= many
}

// mostlyApart: most of the sections that write one of the two variables, or most of the
// functions, do not write the other. Functions are asked for if the two are fields of
// one struct: two structs have each their own.
//
//	func (g *gauge) Reset(low, high int) // writes both
//	func (g *gauge) Low(n int)           // these one
//	func (g *gauge) Lower()
//
// A flag that selects the second variable may be switched alone as often as it likes, if the
// second one is never written without it. So may two numbers of which one is computed, as some section does as well:
//
//	return a.balance() - a.held() // if a.balance-a.heldLocked() < n { return errFunds }
//
// The other writers do not count for a look-up in both containers while the writer moves an element between them: see isMoved.
func (c *candidate) mostlyApart() bool {
	x, y := c.first.Loc, c.second.Loc
	switch {
	case c.relation != readsOfWritten || c.isMoved() || c.selects() && c.d.pkg.Views().Tells(y, x) || c.isOneNumber() && c.join().Word == summary.JoinedInResult && c.d.pkg.Views().UsedTogether(x, y):
		return false
	case c.d.pkg.Views().Loose(x, y):
		return true
	case x.Type() != y.Type():
		return false
	}
	one, two := c.d.writers(x), c.d.writers(y)
	both := 0
	for name := range one {
		if two[name] {
			both++
		}
	}
	return 2*both < max(len(one), len(two))
}

// isMoved reports whether an element is looked for in one container, and, if it is not there, in another one, from which the writer moves
// elements to the first one: it may be found in neither. Who then looks in the first one again finds it.
//
//	if p := t.peer(id); p != nil { return p }
//	return t.remote(id) // delete(t.remotes, id); t.peers[id] = p
func (c *candidate) isMoved() bool {
	f := c.writer()
	return f != nil && accesspath.SameElement(c.first.Key, c.second.Key) && !c.looksAgain() && isAbsentAt(c.d.f, c.second.Instr.Block(), c.first) &&
		slices.ContainsFunc(f.Events, func(out *summary.Event) bool {
			return out.Loc == c.second.Loc && out.Op&summary.Delete != 0 && slices.ContainsFunc(f.Events, func(in *summary.Event) bool {
				return in.Loc == c.first.Loc && in.Writes() && in.Op&summary.Delete == 0 && accesspath.SameElement(in.Key, out.Key) && summary.SharePassage(in, out)
			})
		})
}

// looksAgain reports whether the function reads the first variable once more, after the second one.
func (c *candidate) looksAgain() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc == c.first.Loc && e.Ord != c.first.Ord && c.d.f.Order().Flows(c.second.Instr, e.Instr)
	})
}

// writers returns the names of the functions that write a location, themselves or in a callee that each of them calls.
func (d *detector) writers(loc accesspath.Location) map[string]bool {
	out := d.writersOf[loc]
	if out != nil {
		return out
	}
	out = make(map[string]bool)
	d.writersOf[loc] = out
	for _, w := range d.pkg.Location(loc).Writers {
		out[w.Func] = true
		if w.Fn < 0 {
			continue
		}
		for _, e := range d.pkg.Funcs[w.Fn].Events {
			if e.Loc == loc && e.Writes() && e.Callee != nil && ssautil.Pos(e.Instr) == w.Pos.Pos {
				delete(out, w.Func)
				out[e.Callee.Name] = true
				break
			}
		}
	}
	return out
}

// lockFree: the writers hold a lock, but both reads are atomic operations without it, and the
// values only meet in a decision. Such code is made to look at each variable as it is just then.
//
//	if s.paused.Load() {
//		return
//	}
//	if s.limit.Load() > 0 { s.wait() } // s.mu.Lock(); s.paused.Store(p); s.limit.Store(n); s.mu.Unlock()
func (c *candidate) lockFree() bool {
	return (c.relation == readsOfWritten || c.relation == readsOfNested) && c.a.IsAtomic() && c.b.IsAtomic() && c.join().Word == summary.JoinedInDecision
}

// onlyRemoved: the code that has the view only removes from both variables.
//
//	func (r *registry) Drop(k string) { // under r.mu
//		delete(r.names, k)
//		delete(r.sizes, k)
//	}
//
// A dereference of what the second read yields, without a test, still fails:
//
//	if r.Has(k) {
//		return r.part(k).size // Drop has removed it
//	}
func (c *candidate) onlyRemoved() bool {
	return c.view.Takes(c.first.Loc) && c.view.Takes(c.second.Loc) &&
		!(c.selects() && c.d.f.Dereference(c.second) != nil)
}

// presenceAsked: the function asks whether the second is there, or whether the object
// that was looked up first is still good: it expects that it may be gone.
//
//	low := x.low(k)
//	top, ok := x.top(k)
//	if !ok {
//		return 0
//	}
func (c *candidate) presenceAsked() bool {
	return !c.selects() && (c.second.Tested() || c.asksObject())
}

// asksObject reports whether the second read is of a flag of the object that was looked
// up first.
func (c *candidate) asksObject() bool {
	if !c.first.Finds(c.second) {
		return false
	}
	for br := range depgraph.Branches(c.d.f.Fn) {
		if slices.ContainsFunc(c.second.Values, func(v ssa.Value) bool { return branch.TrueSide(br.Cond, v) >= 0 }) {
			return true
		}
	}
	return false
}

// uncombined: nothing is computed from both values, or decided by both.
//
//	return Config{Host: s.Host(), Port: s.Port()}
func (c *candidate) uncombined() bool {
	return !c.selects() && !c.bothDecide() && !c.operands(func(instr ssa.Instruction) (x, y ssa.Value) {
		switch instr := instr.(type) {
		case *ssa.BinOp:
			return instr.X, instr.Y
		case *ssa.Lookup:
			return instr.X, instr.Index
		case *ssa.IndexAddr:
			return instr.X, instr.Index
		}
		return nil, nil
	})
}

// toldTogether: two getters read one variable in two critical sections, and the caller only stores both results in one object or returns them: no value is
// computed from the two, and no branch compares them. Such an object is most often a status for display, whose fields need not be of one moment.
//
//	return Status{LastSync: r.state.lastSync(), Updates: r.state.updates()}
func (c *candidate) toldTogether() bool {
	return c.relation == readsOfOne && c.d.twoSides(c.first, c.second)
}

// isOneNumber reports whether a number is computed from both values.
func (c *candidate) isOneNumber() bool {
	return c.operands(func(instr ssa.Instruction) (x, y ssa.Value) {
		if op, ok := instr.(*ssa.BinOp); ok && ssautil.IsNumber(op.Type()) {
			return op.X, op.Y
		}
		return nil, nil
	})
}

// bothDecide reports whether branches on both values decide about one instruction.
func (c *candidate) bothDecide() bool {
	for _, b := range c.d.f.Fn.Blocks {
		one, two := false, false
		for _, br := range c.d.f.DirectBranches(b) {
			slice := c.d.f.Slice(br.Cond)
			one = one || slice.HasAny(c.first.Values)
			two = two || slice.HasAny(c.second.Values)
		}
		if one && two {
			return true
		}
	}
	return false
}

// ofMany: each of the two is computed over all objects in a container, of which the writer changes one, under the lock of that object.
//
//	func (f *fleet) Status() Status { return Status{f.meanSpeed(), f.meanLoad()} }
//
// One object of many is counted as it was before the change, and as it is after it.
func (c *candidate) ofMany() bool {
	return c.first.Base.HasAny() && c.first.Base == c.second.Base && c.view.Guard.Type() != "" && c.view.Guard.Type() == c.first.Loc.Type()
}
