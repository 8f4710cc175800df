package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A rival is a writer of what a function relies upon, that may run in between.
type rival struct {
	d      *detector
	writer *summary.Writer
	base   accesspath.Path       // the object that it would change, in the terms of the function
	held   []accesspath.Location // the locks that are held all the time
	inPart bool                  // it matters to change elements in place
	// What follows is set for the acts on stale values.
	candidate *candidate
	taken     *summary.Event // the read of a container that escapes
	keyTaken  bool
	asked     []witness // see candidate.asked
}

// A witness is a location that the act is decided by in its section, and that a writer of what was read writes as well: the decision
// shows whether there was such a write.
type witness struct {
	loc     accesspath.Location
	removed bool // it only shows that the element has been removed
	ofKey   bool // it is the element under the key of what was read
}

// isConcurrent: the rival can run at the same time.
//
//	s.load() // writes s.conf, before the goroutines are started
//	go s.serve()
func (r rival) isConcurrent() bool {
	if r.candidate == nil {
		return r.d.pkg.Processes().Concurrent(r.d.f, r.base, r.writer)
	}
	return r.d.pkg.Processes().ConcurrentAt(r.d.f, r.candidate.read, r.writer)
}

// hasOwnVariable: the rival is another run of the function, and what was read is a local
// variable, which that run has not captured.
//
//	n := 0
//	go func() { mu.Lock(); n++; mu.Unlock() }() // once for each n
func (r rival) hasOwnVariable() bool {
	l := r.candidate.read.Loc
	return l.IsVariable() && r.writer.Fn == r.d.f.ID && !r.d.pkg.Processes().RunsTwice(r.d.f.Body, l)
}

// isConfined: the rival writes without a lock what the function writes without a lock, on
// the same object, so that one goroutine at a time runs either.
//
//	s.mu.Lock(); n := s.n; s.mu.Unlock()
//	s.rounds++
//	s.mu.Lock(); s.n = n + 1; s.mu.Unlock()
func (r rival) isConfined() bool {
	return r.candidate != nil && r.d.pkg.Processes().Confined(r.d.f, r.candidate.read.Base, r.writer)
}

// wouldRace: the function and the rival access some variable of the object without a lock, so that an interleaving in
// which the rival comes between would be a data race.
//
//	if s.status() != done {
//		s.pipe.Close() // no lock, and the rival stores s.pipe without one
//		s.setStatus(done)
//	}
func (r rival) wouldRace() bool {
	c := r.candidate
	return c != nil && r.d.pkg.Processes().Races(r.d.f, c.read, c.act, r.writer)
}

// isHandedOver: the function and the rival have received their objects from channels that hand each object to one
// receiver, so that they have two objects.
//
//	r := <-p.idle
//	if r.process() == nil { r.install(start()) }
//	p.idle <- r
func (r rival) isHandedOver() bool {
	c := r.candidate
	return c != nil && r.d.pkg.Processes().HandedOver(r.d.f, c.read, c.act, r.writer)
}

// waitsForAct: the rival sets a flag that the function has found clear, and waits for the goroutine that acts, before it goes to what
// the act writes, or returns. The act comes late, and in time for that.
//
//	for {
//		select { case <-o.quit: return; default: }
//		… o.drop() // o.queue = o.queue[1:]
//	}
//
//	close(o.quit); <-o.done; rest := o.queue // where the goroutine closes o.done at its end
func (r rival) waitsForAct() bool {
	c := r.candidate
	if c == nil || c.read.Loc == c.act.Loc || !c.decides {
		return false
	}
	g, set := r.d.pkg.WriteOf(r.writer)
	if set == nil || set.Const == "" && !summary.IsSignalFlag(set.Loc) {
		return false
	}
	var then []ssa.Instruction
	for _, e := range g.Events {
		if e.Loc == c.act.Loc && e.Instr != set.Instr && g.Order().Flows(set.Instr, e.Instr) {
			then = append(then, e.Instr)
		}
	}
	if len(then) == 0 {
		for _, ret := range ssautil.Returns(g.Fn) {
			then = append(then, ret)
		}
	}
	act := process.Activity{F: r.d.f, Base: c.act.Base, At: c.act.Instr}
	return len(then) > 0 && !slices.ContainsFunc(then, func(at ssa.Instruction) bool {
		return r.d.pkg.Processes().ConcurrentActivities(process.Activity{F: g, Base: set.Base, At: at}, act)
	})
}

// isFrozen: a flag that is never cleared has been found set before the read, and the rival asks for it before it writes.
//
//	if !b.Sealed() { return errOpen }
//	if b.Votes(name) > most { b.setWinner(name) } // votes are only counted unless b.sealed
func (r rival) isFrozen() bool {
	c := r.candidate
	return c != nil && r.d.pkg.Guards().Frozen(r.d.f, c.read, r.writer)
}

// needsHeld: the rival needs a lock that is held from the read to the act.
//
//	s.outer.Lock()
//	n := s.get(); s.set(n + 1) // all writers hold s.outer
//	s.outer.Unlock()
//
// Nor is it a rival if both only run in the function of one sync.Once.
func (r rival) needsHeld() bool { return r.writer.Needs(r.held) || r.inSameOnce() }

func (r rival) inSameOnce() bool {
	return r.writer.Fn >= 0 && slices.ContainsFunc(r.d.f.Entry, func(g lockset.Guard) bool {
		return g.Mode == lockset.Once && slices.ContainsFunc(r.d.pkg.Funcs[r.writer.Fn].Entry, func(o lockset.Guard) bool {
			return o.Mode == lockset.Once && o.Class == g.Class
		})
	})
}

// changesPart: the rival changes elements of the container in place. One that replaces
// it as a whole leaves what was taken as it is.
//
//	s.mu.Lock(); s.routes = append(slices.Clone(s.routes), r); s.mu.Unlock()
func (r rival) changesPart() bool { return r.writer.Part || r.d.others.Shifts(r.taken.Loc, r.writer) }

// hasOwnKey: the element that was read has a key that was taken out of somewhere, and
// the rival is only called by the function: it has taken out another one.
//
//	id := <-s.free // s.mu.Lock(); id := s.next; s.next++; s.mu.Unlock()
//	if s.get(id) == nil { s.put(id, x) }
func (r rival) hasOwnKey() bool { return r.keyTaken && r.d.pkg.Guards().OnlyCalledBy(r.writer, r.d.f) }

// setsFlag: the rival also changes a flag that the act is decided by.
//
//	s.mu.Lock(); n := s.n; s.mu.Unlock()
//	s.mu.Lock()
//	if !s.reset { // reset() sets n = 0, and reset
//		s.n = n + 1
//	}
//	s.mu.Unlock()
//
// A number that is both raised and lowered may have its old value again, and is no witness of a write in between.
func (r rival) setsFlag() bool {
	return slices.ContainsFunc(r.asked, func(t witness) bool {
		if r.candidate.link == writtenTogether && !t.removed && r.writesWithAct(t.loc) {
			return true
		}
		info := r.d.pkg.Location(t.loc)
		return !info.Constant() && !isUpAndDown(info) && slices.ContainsFunc(info.Writers, func(o summary.Writer) bool {
			return (o.Func == r.writer.Func || t.ofKey && info.InsertOnly && r.isCalledWith(o)) && (!t.removed || o.Effect == summary.Removes || !o.Part)
		})
	})
}

// writesWithAct reports whether the rival writes a location in the section in which it writes what the act writes, under another
// guard than what was read.
//
//	s.setEnabled(false); t.mu.Lock(); t.keeper, t.tokens = nil, nil; t.mu.Unlock()
func (r rival) writesWithAct(l accesspath.Location) bool {
	if r.writer.Fn < 0 {
		return false
	}
	events := r.d.pkg.Funcs[r.writer.Fn].Events
	return slices.ContainsFunc(events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc == r.candidate.act.Loc && slices.ContainsFunc(events, func(e *summary.Event) bool {
			return e.Writes() && e.Loc == l && summary.SharePassage(e, w)
		})
	})
}

// isCalledWith reports whether the only caller of the rival makes another write in the section of the call: the element that it
// writes, which nobody removes, is a witness of the rival.
//
//	s.mu.Lock(); s.setName(k, name); s.dbs[k] = open(name); s.mu.Unlock()
func (r rival) isCalledWith(o summary.Writer) bool {
	if r.writer.Fn < 0 || o.Fn < 0 || r.writer.Fn == o.Fn || !r.d.pkg.Processes().OnlyReachedBy(r.d.pkg.Funcs[r.writer.Fn], r.d.pkg.Funcs[o.Fn]) {
		return false
	}
	in, set := r.d.pkg.WriteOf(&o)
	return set != nil && !slices.ContainsFunc(in.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Loc == r.writer.Loc && !summary.SharePassage(e, set)
	})
}

// isUpAndDown reports whether some writers raise a number and others lower it.
func isUpAndDown(info *summary.LocInfo) bool {
	moves := func(way summary.Effect) bool {
		return slices.ContainsFunc(info.Writers, func(w summary.Writer) bool { return w.Effect == way && !w.Part })
	}
	return info.Counter && moves(summary.Raises) && moves(summary.Lowers)
}

// ofCandidate limits a rule to the rivals of acts that depend on a read, or look again.
func ofCandidate(r rival) bool { return r.candidate != nil && r.candidate.link != writeSkew }

// ofChange limits a rule to rivals that do harm by the change of what was read. A fill from a store goes stale by the change of the store.
func ofChange(r rival) bool { return ofCandidate(r) && r.candidate.link != outdatedFill }

// ofRead limits a rule to candidates whose rivals are the writers of what was read.
func ofRead(c *candidate) bool { return c.link != writeSkew }

func ofReference(r rival) bool { return r.inPart }

// runs reports whether a rival can run in between, by all rules.
func (r rival) runs() bool { return r.d.rivalRules.Rejecting(r.d.judge, r) == nil }

// orNobody returns a writer to name, also if the rules that require one are left out.
func orNobody(w *summary.Writer) *summary.Writer {
	if w == nil {
		return &summary.Writer{Func: "nobody"}
	}
	return w
}
