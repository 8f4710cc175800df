package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// An object that was looked up in a container has a state of its own, often under a lock
// of its own. An act that is decided by that is revalidated, as far as it is on the
// object, or on the container.

// emptiesObject: the act removes something from the object.
//
//	s.mu.Lock(); o := s.objects[k]; s.mu.Unlock()
//	o.mu.Lock(); delete(o.items, i); o.mu.Unlock()
//
// An object that has been removed from the container can be emptied, too.
func (c *candidate) emptiesObject() bool {
	return c.act.Op&summary.Delete != 0 && c.read.Loc != c.act.Loc && c.isOnObject(c.act)
}

// changesObject: the act changes the object by some amount, or marks it.
//
//	s.mu.Lock(); o := s.objects[k]; s.mu.Unlock()
//	if o != nil { o.mu.Lock(); o.hits++; o.broken = true; o.mu.Unlock() }
func (c *candidate) changesObject() bool {
	return c.read.Loc != c.act.Loc && !c.data && c.isOnObject(c.act) && (c.isDelta() || c.act.Const == "true")
}

// objectClaimed: the act is decided by a flag of the object that was tested and set in
// one section.
//
//	s.mu.Lock(); o := s.objects[k]; s.mu.Unlock()
//	if o.claim() { // !o.busy, and sets it
//		s.mu.Lock(); delete(s.objects, k); s.mu.Unlock()
//	}
//
// To empty something, or to count down, is no claim: others may count up again.
func (c *candidate) objectClaimed() bool {
	return c.decidedByObject(func(e *summary.Event) bool { return c.d.marks(e) })
}

// objectLocked: the act, on the container or on the object, is decided by the state of
// the object, under a lock of the object that is held until the act.
//
//	s.mu.Lock(); o := s.objects[k]; s.mu.Unlock()
//	o.mu.Lock()
//	if !o.dead {
//		s.mu.Lock(); s.objects[k2] = o; s.mu.Unlock()
//	}
//	o.mu.Unlock()
//
// Where the function tries again until it finds an object that is alive, the act comes at last
// and nothing decides about it: the look is enough.
func (c *candidate) objectLocked() bool {
	if c.read.Loc != c.act.Loc && !c.isOnObject(c.act) {
		return false
	}
	own := func(e *summary.Event) bool {
		return c.d.underOwnLock(e, c.act) || c.link.keeps() && c.asksTheDropper(e) || c.link == lateFill && e.Ord == c.act.Ord && e.Loc != c.act.Loc && summary.SharePassage(e, c.act)
	}
	return c.decidedByObject(own) || c.link.keeps() && slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc != c.read.Loc && e.Loc != c.act.Loc && c.isOnObject(e) && own(e) &&
			(c.d.f.Order().Exists(summary.Way{From: e.Instr, To: c.read.Instr, Avoid: c.act.Instr}) || e.Instr == c.read.Instr && e.Index > c.read.Index) // in a callee
	})
}

// asksTheDropper reports whether e is made in the section of the act, by the same callee, and reads what
// each function that drops the object writes there:
//
//	r.mu.Lock(); if r.closed { return false }; r.members[m] = true // drop: r.closed = len(r.members) == 0
func (c *candidate) asksTheDropper(e *summary.Event) bool {
	if e.Loc == c.act.Loc || e.Ord != c.act.Ord || !summary.SharePassage(e, c.act) {
		return false
	}
	droppers := c.d.others.DropsEmpty(c.read.Loc, c.act.Loc)
	return len(droppers) > 0 && !slices.ContainsFunc(droppers, func(w summary.Writer) bool {
		return !c.d.writerMakes(&w, func(set *summary.Event) bool { return set.Writes() && set.Loc == e.Loc })
	})
}

// givesBackCount: the section of the read also raises the reference count of the object, and the callee that acts lowers it. Only the
// callee that lowers the count to zero disposes of the object.
//
//	s.mu.RLock(); o := s.objects[k]; o.refs.Add(1); s.mu.RUnlock()
//	defer o.release() // if o.refs.Add(-1) == 0 { o.data = nil }
func (c *candidate) givesBackCount() bool {
	return c.read.Loc != c.act.Loc && c.isOnObject(c.act) && slices.ContainsFunc(c.d.f.Events, func(up *summary.Event) bool {
		return up.Writes() && up.Effect() == summary.Raises && up.Loc != c.act.Loc && summary.SharePassage(up, c.read) && c.isOnObject(up) &&
			slices.ContainsFunc(c.d.f.Events, func(down *summary.Event) bool {
				return down.Ord == c.act.Ord && down.Writes() && down.Loc == up.Loc && down.Effect() == summary.Lowers
			})
	})
}

// decidedByObject reports whether one of the reads in the object that decide about the
// act is as asked for.
func (c *candidate) decidedByObject(is func(e *summary.Event) bool) bool {
	return slices.ContainsFunc(c.act.Control, func(i int) bool {
		e := c.d.f.Events[i]
		return e.Reads() && e.Loc != c.read.Loc && c.isOnObject(e) && is(e)
	})
}

// isOnObject reports whether e accesses the object that was looked up: the element that
// was read, or what the access is made through comes from there.
func (c *candidate) isOnObject(e *summary.Event) bool {
	object := accesspath.Unknown
	if c.read.Key != "" {
		object = c.read.ElementPath()
	}
	return accesspath.Same(e.Base, e.Base) && e.Base.Within(object) || c.d.cameFrom(e, c.read)
}

// underOwnLock reports whether a lock of the object that e looks into is held from e to
// the act w. In a loop e looks again.
func (d *detector) underOwnLock(e, w *summary.Event) bool {
	return slices.ContainsFunc(e.Holds, func(h summary.Hold) bool {
		g := w.Hold(h.Path)
		return !h.Inner && g != nil && !g.Inner && h.Path.Within(e.Base) && d.f.Order().Flows(e.Instr, w.Instr) && !d.f.Order().Ends(e, w, h.Path, true)
	})
}

// marks reports whether what e reads is a flag that its section then sets: a claim.
func (d *detector) marks(e *summary.Event) bool {
	return e.Owned() && slices.ContainsFunc(d.f.Events, func(set *summary.Event) bool {
		return set.Ord == e.Ord && set.Writes() && set.Loc == e.Loc && set.Base == e.Base && set.Const != "" && set.Const != "nil"
	})
}

// cameFrom reports whether e accesses an object that was found in what r read: the one
// that the instruction looks into, or that it gives to a callee which does.
func (d *detector) cameFrom(e, r *summary.Event) bool {
	return slices.ContainsFunc(objectsOf(e.Instr), func(v ssa.Value) bool {
		path := d.f.Res.Resolve(v).Path
		return path != accesspath.Unknown && e.Base.Within(path) && d.f.Slice(v).HasAny(r.Values)
	})
}

// objectsOf returns the pointers that an instruction looks into or gives to a callee.
func objectsOf(instr ssa.Instruction) []ssa.Value {
	switch instr := instr.(type) {
	case ssa.CallInstruction:
		out := slices.Clone(instr.Common().Args)
		for _, a := range instr.Common().Args {
			out = append(out, objectOf(a)...) // o.users.Add(1)
		}
		return out
	case *ssa.UnOp:
		return objectOf(instr.X)
	case *ssa.Store:
		return objectOf(instr.Addr)
	}
	return nil
}

func objectOf(addr ssa.Value) []ssa.Value {
	if field, ok := addr.(*ssa.FieldAddr); ok {
		return append(objectOf(field.X), field.X)
	}
	return nil
}
