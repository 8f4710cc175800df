package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// drains: what has been collected is read, used, and removed in a later section, whatever is there
// by then.
//
//	s.mu.Lock(); batch := s.pending; s.mu.Unlock()
//	s.send(batch)
//	s.mu.Lock(); s.pending = nil; s.mu.Unlock()
//
// What others have added in between is removed, and was not used: R(x) W'(x) W(x), though the act
// depends on nothing. To swap it out in one section loses nothing.
func (p *pair) drains() bool {
	r, w := p.read, p.act
	return r.Loc == w.Loc && !p.data && (p.sameCell() && r.Key == "" && w.Key == "" && (p.readsElements() || !p.decides && w.Const != "0") || p.readsAmount()) &&
		!r.Writes() && !w.Reads() && p.empties() && r.Op&summary.Presence == 0 && p.isUsed() && p.d.f.Order().Flows(r.Instr, w.Instr) && !p.looksBefore()
}

// readsElements reports whether the read is of a container, and the act leaves none, or an empty one. A
// flag or a number that decides about its removal is asked for, and not collected.
func (p *pair) readsElements() bool {
	return (p.act.Const == "" || p.act.Const == "nil") &&
		slices.ContainsFunc(p.read.Values, func(v ssa.Value) bool { return depgraph.IsContainer(v.Type()) })
}

// empties reports whether the act removes all that is there.
func (p *pair) empties() bool {
	w := p.act
	if w.Empties() {
		return w.Const != "" || w.Op&summary.Delete == 0
	}
	if w.Callee != nil || len(w.Inputs) == 0 {
		return false
	}
	switch v := w.Inputs[0].(type) {
	case *ssa.MakeMap:
		return true
	case *ssa.MakeSlice:
		n, ok := v.Len.(*ssa.Const)
		return ok && n.Int64() == 0
	}
	return false
}

// isUsed reports whether something is done with what was read before the act.
func (p *pair) isUsed() bool {
	return slices.ContainsFunc(p.d.f.Sinks(), func(k summary.Sink) bool {
		return k.Instr != p.act.Instr && k.Data.HasAny(p.read.Values) && p.d.f.Order().Flows(p.read.Instr, k.Instr) && p.d.f.Order().Flows(k.Instr, p.act.Instr)
	})
}

// looksBefore reports whether the section of the act, of a lock that those who add need, looks at what is there before
// it is removed. To load a map, of which the act then removes all elements, is no look.
func (p *pair) looksBefore() bool {
	isGuard := func(class accesspath.Location) bool { return slices.Contains(p.info.Guards, class) }
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e != p.read && e.Reads() && sameCell(e, p.act) && p.d.oneSectionUnder(e, p.act, isGuard) && (e.Tested() || p.isUsedElsewhere(e))
	})
}

// isUsedElsewhere reports whether another instruction than the act uses what is read.
func (p *pair) isUsedElsewhere(e *summary.Event) bool {
	return slices.ContainsFunc(e.Values, func(v ssa.Value) bool {
		return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool { return use != p.act.Instr })
	})
}

// resetsLate: all elements are taken out and worked off, and what counts them is set to zero in a later section. What
// others have added in between is counted no more.
//
//	s.mu.Lock(); batch := s.lines; s.lines = nil; s.mu.Unlock()
//	s.write(batch)
//	s.mu.Lock(); s.pending = 0; s.mu.Unlock() // not s.pending -= len(batch)
func (p *pair) resetsLate() bool {
	r, w := p.read, p.act
	return w.Const == "0" && !w.Reads() && r.Key == "" && w.Key == "" && accesspath.Same(r.Base, w.Base) && p.d.owned(r) && p.isUsed() &&
		p.d.f.Order().Flows(r.Instr, w.Instr) && slices.ContainsFunc(p.info.Writers, p.countsIn) &&
		!slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
			return e.Loc == r.Loc && (e.Ord == w.Ord || p.d.oneSection(e, w))
		})
}

// zeroesLate: a compare-and-swap begins something anew, and what is counted since then is set to zero afterwards.
//
//	if w.start.CompareAndSwap(start, now) { w.used.Store(0) }
//
//	if now-w.start.Load() < w.period { w.used.Add(n) } // elsewhere: what is added in between is lost
func (p *pair) zeroesLate() bool {
	r, w := p.read, p.act
	if !p.decides || r.Op&summary.Compare == 0 || !r.Writes() || w.Const != "0" || w.Reads() || w.Key != "" || r.Key != "" || !p.guard.IsAtomic() || !accesspath.Same(r.Base, w.Base) {
		return false
	}
	info := p.d.pkg.Location(w.Loc)
	return !info.Constant() && slices.ContainsFunc(info.Writers, func(by summary.Writer) bool { return by.Fn >= 0 && p.countsAfter(by) })
}

// countsAfter reports whether a writer adds to what the act sets to zero after it has read, on the same object, what the
// compare-and-swap changes.
func (p *pair) countsAfter(by summary.Writer) bool {
	f := p.d.pkg.Funcs[by.Fn]
	return slices.ContainsFunc(f.Events, func(n *summary.Event) bool {
		adds := n.Writes() && n.Loc == p.act.Loc && n.Const == "" && (n.Delta() || n.Op&summary.Compare != 0 && len(n.Data) > 0)
		return adds && slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
			return e.Reads() && !e.Writes() && e.Loc == p.read.Loc && accesspath.Same(e.Base, n.Base) && f.Order().Flows(e.Instr, n.Instr)
		})
	})
}

// countsIn reports whether a writer adds to what was read, and raises in the same section what the act sets to zero.
func (p *pair) countsIn(by summary.Writer) bool {
	if by.Fn < 0 {
		return false
	}
	events := p.d.pkg.Funcs[by.Fn].Events
	return slices.ContainsFunc(events, func(n *summary.Event) bool {
		return n.Loc == p.act.Loc && n.Delta() && slices.ContainsFunc(events, func(e *summary.Event) bool {
			return e.Loc == p.read.Loc && len(e.Added) > 0 && accesspath.Same(e.Base, n.Base) && summary.SharePassage(e, n)
		})
	})
}

// dropsLate: the first element of a queue is worked off, and the first one is removed in a later section.
//
//	s.mu.Lock(); job := s.queue[0]; s.mu.Unlock()
//	do(job)
//	s.mu.Lock(); s.queue = s.queue[1:]; s.mu.Unlock()
//
// Of two goroutines both do the same, and the second one removes what neither has done. To compare the first element with
// the one that was done is enough.
func (p *pair) dropsLate() bool {
	r, w := p.read, p.act
	index, ok := r.Key.Const()
	return ok && index == "0" && r.Loc == w.Loc && w.Key == "" && accesspath.Same(r.Base, w.Base) && !p.data && !p.d.owned(r) && p.isUsed() &&
		p.d.f.Order().Flows(r.Instr, w.Instr) && !p.looksAtElement() && !p.isComparedInCallee()
}

// isComparedInCallee reports whether an argument that comes of what was read decides about the act in the callee:
//
//	s.ack(rec.seq) // if s.queue[0].seq == seq { s.queue = s.queue[1:] }
func (p *pair) isComparedInCallee() bool {
	return slices.ContainsFunc(p.act.Conditions, func(v ssa.Value) bool { return p.d.f.Slice(v).HasAny(p.read.Values) })
}

// looksAtElement reports whether an element, or a part of one, is tested in the section of the act.
func (p *pair) looksAtElement() bool {
	list := p.read.MemberPath()
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		isElement := e.Loc == p.read.Loc && e.Key != "" || e.Base != list && e.Base.Within(list)
		return e != p.read && e.Reads() && isElement && p.d.oneSection(e, p.act) && (e.Tested() || p.d.f.DecidesBranch(e.Values))
	})
}

// removes: the rival removes elements.
func (r rival) removes() bool { return r.writer.Effect == summary.Removes }

// adds: the rival adds to what was read.
//
//	s.mu.Lock(); s.pending = append(s.pending, x); s.mu.Unlock()
func (r rival) adds() bool {
	return r.writer.Effect == summary.Raises || r.writer.Effect == summary.Fills || r.writer.Part && r.writer.Effect != summary.Removes || r.addsAmount()
}

// isSealed: the rival adds nothing any more, as the section of the read has set a flag that it
// looks at.
//
//	s.mu.Lock(); s.closed = true; conns := s.conns; s.mu.Unlock()
//	closeAll(conns)
//	s.mu.Lock(); s.conns = nil; s.mu.Unlock()
func (r rival) isSealed() bool {
	c := r.candidate
	return slices.ContainsFunc(c.d.f.Events, func(set *summary.Event) bool {
		return set.Writes() && set.Const != "" && !set.Empties() && set.Loc != c.read.Loc && summary.SharePassage(set, c.read) && r.asksFor(set)
	})
}

func ofDrain(r rival) bool {
	return r.candidate != nil && (r.candidate.link == drainedLate || r.candidate.link == lateReset)
}
