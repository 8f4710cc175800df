package reacquire

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// The rules of this file say why the second section relies on what the first has read.
// In the examples all is done under the context lock, and the methods of c take the
// witness.

// valueWritten: the second section writes what is computed from the value.
//
//	n := c.Get()
//	c.Set(n + 1)
func (c *candidate) valueWritten() bool { return slices.Contains(c.access.Data, c.i) }

// valueStillUsed: the second section replaces what was read, while the old value is used
// afterwards.
//
//	old := c.Get()
//	c.Set(0)
//	return old // what was added in between is lost
func (c *candidate) valueStillUsed() bool {
	return !c.access.Delta() && slices.ContainsFunc(c.d.f.Sinks(), func(k summary.Sink) bool {
		return k.Instr != c.access.Instr && k.Instr != c.read.Instr && k.Data.HasAny(c.read.Values) && c.d.f.Order().Flows(c.access.Instr, k.Instr)
	})
}

// writeDecided: the second section is only entered because of the value.
//
//	if c.Len() < limit {
//		c.Add(x)
//	}
func (c *candidate) writeDecided() bool {
	return c.d.f.LeadsTo(c.read, c.access.Instr.Block())
}

// roundsSteered: every round of a loop updates what the context protects, as the read
// decides, and the value also decides whether the loop continues. A loop that polls updates
// nothing before its last round.
//
//	for c.Next(s.at) {
//		s.at++
//	}
func (c *candidate) roundsSteered() bool {
	if !slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return c.d.protects(c.context, w) && dependsOn(w, c.i) && c.d.f.Paths().Reaches(w.Instr, c.read.Instr)
	}) {
		return false
	}
	failing := depgraph.Failing(c.d.f.Fn)
	for br := range c.d.f.BranchesOn(c.read.Values) {
		again := func(side int) bool {
			to := br.Block().Succs[side]
			return c.d.f.Paths().Reaches(to.Instrs[0], c.read.Instr) || to == c.read.Instr.Block()
		}
		// A panic is no way to go on.
		ends := func(side int) bool { return !again(side) && !failing[br.Block().Succs[side].Index] }
		if c.d.f.Paths().Reaches(c.read.Instr, br) && (again(0) && ends(1) || again(1) && ends(0)) {
			return true
		}
	}
	return false
}

// roundsCombined: the rounds of a loop put together what they read.
//
//	for range 2 {
//		sum += c.Get()
//	}
func (c *candidate) roundsCombined() bool {
	for _, b := range c.d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			phi, ok := instr.(*ssa.Phi)
			if !ok {
				break
			}
			for _, v := range phi.Edges {
				if s := c.d.f.Slice(v); s.Has(phi) && s.HasAny(c.read.Values) {
					return true
				}
			}
		}
	}
	return false
}

// valuesCombined: the two values come together in one result, call or write.
//
//	return c.X() * c.Y()
func (c *candidate) valuesCombined() bool {
	join, joined := c.d.f.Joined(c.read, c.access)
	return joined && join.Word != summary.JoinedInDecision
}

// decidedTogether: one decision is made by both values.
//
//	if c.Width() > c.Height() {
//		s.turn()
//	}
func (c *candidate) decidedTogether() bool {
	_, joined := c.d.f.Joined(c.read, c.access)
	return joined
}

// updatesTwice: what is written to places that the context keeps consistent is computed from one of
// the two values, and computed from the other or decided by it. Two decisions about two writes
// may be made by what was true one after the other, and a callee that writes is an atomic
// read-modify-write of its own, which does not rely on what the caller has read.
//
//	s.low = c.Low()
//	s.high = c.High()
func (c *candidate) updatesTwice() bool {
	return !c.d.operates(c.read) && !c.d.operates(c.access) && c.d.update(c.context, c.i, c.j, true)
}

// operates reports whether an access is made by a call that also writes shared memory.
func (d *detector) operates(e *summary.Event) bool {
	return e.Callee != nil && slices.ContainsFunc(d.f.Events, func(w *summary.Event) bool {
		return w.Ord == e.Ord && w.Writes() && len(w.Holds) > 0
	})
}

// updates: the same, or the two are combined in one write. It is no reason by itself.
//
//	s.top = max(c.Low(), c.High())
func (c *candidate) updates() bool { return c.d.update(c.context, c.i, c.j, false) }

// readDecided: the second read is made because of the value of the first, or with it, or
// with one that was compared with it.
//
//	for i := 0; i < c.Len(); i++ {
//		use(c.At(i))
//	}
func (c *candidate) readDecided() bool {
	_, isCall := c.access.Instr.(ssa.CallInstruction)
	return isCall && (c.given() || c.d.f.LeadsTo(c.read, c.access.Instr.Block()))
}

// given reports whether the second read is made by a call that is given the value of the
// first.
func (c *candidate) given() bool {
	call, ok := c.access.Instr.(ssa.CallInstruction)
	return ok && slices.ContainsFunc(call.Common().Args, func(a ssa.Value) bool {
		return c.d.f.Slice(a).HasAny(c.read.Values)
	})
}

// update reports whether reads i and j decide what is written to places that the context
// keeps consistent: the results are combined in one update. If two is set, the reads must
// decide different writes.
func (d *detector) update(c context, i, j int, two bool) bool {
	var first, second []*summary.Event
	computed := func(w *summary.Event, i int) bool { return slices.Contains(w.Data, i) }
	for _, w := range d.f.Events {
		if !d.protects(c, w) {
			continue
		}
		if dependsOn(w, i) {
			first = append(first, w)
		}
		if dependsOn(w, j) {
			second = append(second, w)
		}
	}
	return slices.ContainsFunc(first, func(v *summary.Event) bool {
		return slices.ContainsFunc(second, func(w *summary.Event) bool {
			if two && (v == w || !computed(v, i) && !computed(w, j)) {
				return false
			}
			if v.Loc == w.Loc {
				return v.Key == "" || w.Key == "" || accesspath.SameElement(v.Key, w.Key)
			}
			return d.pkg.Location(v.Loc).IsJoint(w.Loc)
		})
	})
}

// protects reports whether an access is a write of something that the context guards.
func (d *detector) protects(c context, w *summary.Event) bool {
	return w.Writes() && slices.Contains(d.pkg.Location(w.Loc).Guarding(), c.Class)
}

// dependsOn reports whether a write is computed from read i, or decided by it.
func dependsOn(w *summary.Event, i int) bool {
	return slices.Contains(w.Data, i) || slices.Contains(w.Control, i)
}

// The ways in which the second section relies on the first, the first one that holds
// for a candidate.
const (
	valueWritten    = "value-written"
	valueStillUsed  = "value-still-used"
	writeDecided    = "write-decided"
	roundsSteered   = "rounds-steered"
	roundsCombined  = "rounds-combined"
	valuesCombined  = "values-combined"
	twoUpdates      = "two-updates"
	readDecided     = "read-decided"
	decidedTogether = "decided-together"
)
