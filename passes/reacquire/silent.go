package reacquire

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// The rules of this file say why a section may follow another of the same witness. In
// the examples all is done under the context lock, and the methods of c take the witness.

// endAskedAgain: a latch is read again: a rival may have set it in between, and the second
// read sees that. A pointer that is cleared and never set again is a latch as well, but there the two
// reads may be inconsistent.
//
//	if !c.Closed() {
//		c.Send(x) // looks whether it is closed
//	}
func (c *candidate) endAskedAgain() bool {
	info := c.info()
	return info.Latch != "" && info.Latch != "nil" && slices.ContainsFunc(c.section, func(j int) bool { return c.d.f.Events[j].Loc == c.read.Loc })
}

// witnessGuards: the witness guards what is read: others change it under no other lock.
//
//	n := c.Name() // c.name is guarded by another lock
func (c *candidate) witnessGuards() bool {
	return slices.Contains(c.info().Guards, c.d.takings[c.first].Class)
}

// ownStep: the first section changes what it reads. Then it is a step of its own, and
// what comes out of it tells what that step has done.
//
//	id := c.NextID() // c.id++
//	c.Register(id)
func (c *candidate) ownStep() bool {
	return slices.ContainsFunc(c.d.accesses(c.first), func(i int) bool {
		e := c.d.f.Events[i]
		return e.Writes() && e.Loc == c.read.Loc && accesspath.Same(e.Base, c.read.Base)
	})
}

// takesOff: the second section takes off what the first one has found: what has come to it in between
// is left.
//
//	n := c.Pending()
//	write(n)
//	c.pending -= n // under the lock of c
func (c *candidate) takesOff() bool {
	return slices.ContainsFunc(c.section, func(j int) bool {
		w := c.d.f.Events[j]
		return w.Writes() && w.Delta() && w.Callee == nil && len(w.Added) == 0 && (w == c.access || slices.Contains(w.Data, c.j)) &&
			slices.ContainsFunc(c.d.accesses(c.first), func(i int) bool {
				r := c.d.f.Events[i]
				return r.Loc == w.Loc && accesspath.Same(r.Base, w.Base) && slices.Contains(w.Data, i)
			})
	})
}

// sameElement: of two elements that are not known to be the same each is something of
// its own.
//
//	c.Put(key, c.Get(other))
func (c *candidate) sameElement() bool {
	switch read, access := c.read.Key, c.access.Key; {
	case read == "" || access == "":
		return true
	case c.access.Writes():
		return accesspath.KeysOverlap(read, access)
	default:
		return accesspath.SameElement(read, access)
	}
}

// errorSecond: all that comes of the second read is whether something went wrong: it
// refuses what no longer fits.
//
//	n := c.Len()
//	err := c.Check(n)
func (c *candidate) errorSecond() bool { return c.access.OnlyErrors() }

// forward: the second access follows the first in one run of the code around them. The
// next round of a loop is another operation.
//
//	for _, x := range list {
//		c.Add(x) // comes before Len only in the next round
//		n := c.Len()
//	}
func (c *candidate) forward() bool {
	return c.d.f.Order().Exists(summary.Way{From: c.read.Instr, To: c.access.Instr, Forward: true})
}

// presenceTested: the second section asks first for the presence, the length or a
// certain constant of what it is about. Then it does not rely on the first.
//
//	if c.Len() > 0 {
//		if x, ok := c.Pop(); ok {
//			use(x)
//		}
//	}
func (c *candidate) presenceTested() bool { return c.asks(c.d.tested) }

// valuesCompared: a branch asks if what the second section reads is what was read before.
//
//	old := c.Get()
//	if c.Get() == old {
//		c.Set(x)
//	}
//
// A comparison of two variables is no second look at the first.
func (c *candidate) valuesCompared() bool {
	return c.read.Loc == c.access.Loc && c.asks(func(now *summary.Event) bool {
		for br := range depgraph.Branches(c.d.f.Fn) {
			f := branch.Alone(br.Cond, true)
			if f.Other == nil || f.Relation != branch.Equal && f.Relation != branch.Differs {
				continue
			}
			old := func(v ssa.Value) bool { return c.d.f.Slice(v).HasAny(c.read.Values) }
			if slices.Contains(now.Values, f.Subject) && old(f.Other) || slices.Contains(now.Values, f.Other) && old(f.Subject) {
				return true
			}
		}
		return false
	})
}

// asks reports whether something holds for a read, in the second section, of what the
// second access is to.
func (c *candidate) asks(holds func(now *summary.Event) bool) bool {
	return slices.ContainsFunc(c.section, func(i int) bool {
		e := c.d.f.Events[i]
		return e.Reads() && e.Loc == c.access.Loc && holds(e)
	})
}

// tested reports whether a branch asks for the presence, the length or a certain
// constant of what e read.
func (d *detector) tested(e *summary.Event) bool {
	for br := range depgraph.Branches(d.f.Fn) {
		for _, holds := range []bool{true, false} {
			for f := range branch.Implied(br.Cond, holds) {
				if slices.Contains(e.Values, f.Subject) && isTest(f) {
					return true
				}
			}
		}
	}
	return false
}

// isTest reports whether a fact is about presence, a length or a constant. A flag that
// does not come with a value is what was read itself.
func isTest(f branch.Fact) bool {
	flag := f.True() || f.False()
	return f.Other == nil && (!flag || f.Present() || f.Absent())
}

// lookedInCallee: the callee looks at the place itself before it writes.
//
//	if !c.Has(key) {
//		c.AddIfAbsent(key, x)
//	}
func (c *candidate) lookedInCallee() bool { return c.access.Looked() }

// insertOnly: what has been found in a container that nothing is taken out of is found
// again.
//
//	if c.Has(key) {
//		use(c.Get(key))
//	}
func (c *candidate) insertOnly() bool { return !c.access.Writes() && c.info().InsertOnly }

// fixedElement: a key selects the same element in every round of a loop.
//
//	for _, k := range keys {
//		sum += c.Get(k) // another one each time
//	}
func (c *candidate) fixedElement() bool {
	key := c.read.Key
	return key == "" || !accesspath.Path(key).IsLocal() && !key.HasAny()
}

// relies: the second section relies on the first, for one of the reasons of candidates.
//
//	log(c.Len())
//	c.Add(x) // in any case
func (c *candidate) relies() bool { return c.reliance() != "" }

// ownArguments: every round of a loop asks with arguments of its own: then its answer is
// about something else.
//
//	for _, k := range keys {
//		sum += c.Count(k)
//	}
func (c *candidate) ownArguments() bool {
	call, ok := c.read.Instr.(ssa.CallInstruction)
	if !ok || c.reliance() != roundsCombined {
		return false
	}
	args := call.Common().Args
	if call.Common().Signature().Recv() != nil && !call.Common().IsInvoke() {
		args = args[1:]
	}
	return slices.ContainsFunc(args, func(a ssa.Value) bool {
		made, ok := a.(ssa.Instruction)
		return ok && c.d.f.Paths().Reaches(c.read.Instr, made)
	})
}

// readsAgain: the first read has only decided that there is a second section, which reads
// the same variable again: what it finds then is what counts. An element is another
// matter: it may not be there any more.
//
//	if c.Len() > 0 {
//		n = c.Len()
//	}
func (c *candidate) readsAgain() bool {
	if r := c.reliance(); r == valuesCombined || r == twoUpdates || c.given() || c.read.Key != "" {
		return false
	}
	return slices.ContainsFunc(c.section, func(i int) bool {
		o := c.d.f.Events[i]
		return o.Reads() && o.Loc == c.read.Loc && o.Key == "" && accesspath.Same(o.Base, c.read.Base) && slices.ContainsFunc(o.Values, isBasic)
	})
}

func isBasic(v ssa.Value) bool {
	_, basic := v.Type().Underlying().(*types.Basic)
	return basic
}

// unusedAnswer: the second read is made because of the first, but nothing comes of it.
//
//	if c.Len() > 0 {
//		c.Pop() // looks for itself, and throws away what it finds
//	}
func (c *candidate) unusedAnswer() bool { return c.readDecided() && !c.d.used(c.access) }

// used reports whether the value of a read has an effect in the function.
func (d *detector) used(read *summary.Event) bool {
	return d.f.DecidesBranch(read.Values) || slices.ContainsFunc(d.f.Sinks(), func(k summary.Sink) bool {
		return k.Instr != read.Instr && k.Data.HasAny(read.Values)
	})
}

// someCallers: only some callers hold the context: for the others there is none.
//
//	func (s *S) diff() int { return s.c.X() - s.c.Y() }
//	func (s *S) Diff() int { s.mu.Lock(); defer s.mu.Unlock(); return s.diff() }
//	func (s *S) Show()     { print(s.diff()) }
func (c *candidate) someCallers() bool { return c.context.some }

// alone: main and tests hold a lock to look at something.
//
//	func main() {
//		s.mu.Lock()
//		print(s.c.X() - s.c.Y())
//		s.mu.Unlock()
//	}
func (c *candidate) alone() bool { return c.d.pkg.Processes().Alone(c.d.f) }
