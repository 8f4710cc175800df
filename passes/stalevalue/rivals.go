package stalevalue

import (
	"fmt"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// rivals returns the writers of what was read. In a write skew it is the function that
// computes it from what the act writes, between the elements of a container another run of the
// function, and for an effect on a channel, group or object the function that ends its use.
//
// A location of a large package has thousands of writers, so they are not collected for each
// candidate: most questions are answered by the first of them that runs.
func (c *candidate) rivals() iter.Seq[rival] {
	if c.link == writeSkew {
		return c.each(c.d.others.Derives(c.read.Loc, c.act.Loc), rival{base: c.read.Base})
	}
	if c.link == mutualCheck {
		return slices.Values(c.mutualRivals())
	}
	if c.link.orders() {
		advance := c.advance()
		again := c.d.f.Writer(advance)
		again.Guards = c.d.f.Locks(advance)
		return c.each([]summary.Writer{again}, rival{base: c.read.Base})
	}
	if c.link.ends() {
		return c.each(c.enders(), rival{})
	}
	if c.link == outdatedFill {
		return c.each(c.invalidations(), rival{base: c.read.Base, asked: c.asked()})
	}
	all := c.each(c.d.pkg.Guards().Writers(c.read, c.info), rival{base: c.read.Base, keyTaken: c.d.keyTaken(c.read), asked: c.asked()})
	if c.link != tallyOfElements {
		return all
	}
	return func(yield func(rival) bool) {
		for r := range all {
			if c.makesAct(r.writer) && !yield(r) {
				return
			}
		}
	}
}

// each returns the writers as rivals, which are otherwise like r.
func (c *candidate) each(writers []summary.Writer, r rival) iter.Seq[rival] {
	r.d, r.held, r.candidate = c.d, c.heldThrough(), c
	return func(yield func(rival) bool) {
		for i := range writers {
			r.writer = &writers[i]
			if !yield(r) {
				return
			}
		}
	}
}

// anyRival reports whether some rival is as asked.
func (c *candidate) anyRival(asked func(rival) bool) bool {
	for r := range c.rivals() {
		if asked(r) {
			return true
		}
	}
	return false
}

// rival returns the writer of the location that can run between the read and the act and is
// most probably harmful, or nil. It is chosen from the first of them.
func (c *candidate) rival() *summary.Writer {
	var running []rival
	for r := range c.rivals() {
		if r.runs() {
			running = append(running, r)
		}
		if len(running) == limit.NotedWriters {
			break
		}
	}
	return c.mostHarmful(running)
}

func (c *candidate) hasRival() bool { return c.anyRival(rival.runs) }

// Remarks says which writers are no rivals, and why.
func (c *candidate) Remarks() []string {
	var out []string
	for r := range c.rivals() {
		text := "may run in between"
		if by := c.d.rivalRules.Rejecting(c.d.judge, r); by != nil {
			text = fmt.Sprintf("ruled out by %s (%s, %s)", by.ID, by.Kind, by.Mechanism)
		}
		out = append(out, fmt.Sprintf("writer %s, %s: %s", r.writer.Func, r.writer.Pos.Text, text))
	}
	return out
}

// asked returns the witnesses: what is read in the section of the act, decides about it, and is written together with what was read.
// A second look-up of the element that the read was in is a witness of its removal. The section of a lock that is held from the read
// on has no later look. A shutdown that sets one flag may set another one
// before it acts:
//
//	s.closing.Store(true)                             // read
//	s.mu.Lock(); s.active = false; s.mu.Unlock()      // asked in the section of the act
//	s.mu.Lock(); closeAll(s.conns); s.mu.Unlock()
func (c *candidate) asked() []witness {
	var out []witness
	through := c.heldThrough()
	later := func(l accesspath.Location) bool { return !slices.Contains(through, l) }
	for _, i := range c.act.Control {
		e := c.d.f.Events[i]
		if i == c.readIndex || e.Loc == c.read.Loc || e.Loc == c.act.Loc || !e.Reads() || !c.d.oneSectionUnder(e, c.act, later) || !related(e.Base, c.read.Base) {
			continue
		}
		switch {
		case e.Finds(c.read):
			out = append(out, witness{loc: e.Loc, removed: true})
		case c.info.IsJoint(e.Loc), c.link == missedShutdown && c.shutsDown(e.Loc):
			out = append(out, witness{loc: e.Loc, ofKey: e.Key == c.read.Key})
		}
	}
	return out
}

// keyTaken reports whether the element that r reads has a key that was taken out of
// somewhere: another goroutine that does the same has taken another one.
func (d *detector) keyTaken(r *summary.Event) bool {
	if r.Key == "" {
		return false
	}
	var operands [10]*ssa.Value
	for _, v := range r.Instr.Operands(operands[:0]) {
		if *v == nil || d.f.Res.Key(*v) != r.Key {
			continue
		}
		slice := d.f.Slice(*v)
		if slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
			return e.Loc != r.Loc && e.Reads() && e.Owned() && slice.HasAny(e.Values)
		}) {
			return true
		}
	}
	return false
}

// heldThrough returns the locks that are held from the read to the act. What a
// branch decides it decides anew in the next round of a loop that has both; a value may be
// carried there. A goroutine that is started holds none of the locks of its starter.
func (c *candidate) heldThrough() []accesspath.Location {
	if c.link == doubleStart && c.claimedByStarted() {
		return nil
	}
	if c.distant != nil {
		return c.heldUntilAct()
	}
	guards := c.d.f.GuardsForward(c.read, c.act)
	if c.data || c.collected != nil || c.ofEach || !c.isRepeated() {
		guards = c.d.f.Held(c.read, c.act)
	}
	var out []accesspath.Location
	for _, g := range guards {
		if !c.isClaimOfOther(g) {
			out = append(out, g.Class)
		}
	}
	return out
}

// isClaimOfOther reports whether a guard is the claim of a key that has nothing to do with what was read: others claim another key for
// the same.
//
//	if s.busy[request] { return }; s.busy[request] = true
//	s.setBalance(account, s.balance(account)-n)
func (c *candidate) isClaimOfOther(g lockset.Guard) bool {
	keys := g.Path.Keys()
	if info := c.d.pkg.Location(g.Class); info.Constant() || len(keys) == 0 || !g.Path.IsElement() || slices.Contains(c.d.f.Entry, g) {
		return false // a lock, or a flag, or a claim of the caller, whose key has no name here
	}
	key := keys[len(keys)-1]
	path := key.Path()
	return path != accesspath.Unknown && !c.read.Key.HasAny() && !slices.Contains(c.read.Key.Parts(), key) && !slices.Contains(c.read.Base.Keys(), key) &&
		!related(path, c.read.Base) && !slices.ContainsFunc(c.read.Key.Parts(), func(k accesspath.Key) bool { return related(path, k.Path()) })
}

// actGuardHeld: the guard of the act on another location is held from the read on. A
// function that writes both has to wait for it, and so its second write comes after the
// act.
//
//	s.list.mu.Lock()
//	if s.isOpen() { // under s.mu
//		s.list.n++
//	}
//	s.list.mu.Unlock()
func (c *candidate) actGuardHeld() bool {
	through := c.d.f.HeldThrough(c.read, c.act)
	return slices.ContainsFunc(c.act.Holds, func(h summary.Hold) bool { return slices.Contains(through, h.Class) })
}

// underWritersLock: read and act of an atomic variable lie in one section of a lock that
// some writer holds.
//
//	s.mu.Lock()
//	if s.state.Load() == idle {
//		s.state.Store(busy)
//	}
//	s.mu.Unlock()
//
// That lock is meant to make them one step, and the others write when it does not
// matter, unless the act overwrites a final value of theirs. A lock that of all writers only the act
// holds keeps out those who do the same, and nobody who adds to what is drained.
func (c *candidate) underWritersLock() bool {
	if !c.info.Atomic {
		return false
	}
	through := c.heldThrough()
	return slices.ContainsFunc(c.info.Writers, func(w summary.Writer) bool {
		return w.Needs(through) && !(c.link == updateOfCell && c.isAct(&w) && c.isShared(through) || c.link == drainedLate && c.makesAct(&w))
	}) && !c.overwritesFinal(through)
}

// isShared reports whether all the locks are held for reading: they are for something else.
func (c *candidate) isShared(locks []accesspath.Location) bool {
	return !slices.ContainsFunc(c.d.f.Held(c.read, c.act), func(g lockset.Guard) bool {
		return g.Mode != lockset.Shared && slices.Contains(locks, g.Class)
	})
}

// overwritesFinal reports whether the act is decided by what was read not being a
// certain value, which somebody else stores without the lock that is held: the act
// overwrites that value, and it matters, as it was asked for.
func (c *candidate) overwritesFinal(through []accesspath.Location) bool {
	return c.sameCell() && slices.ContainsFunc(c.info.Writers, func(w summary.Writer) bool {
		return w.Const != "" && w.Const != c.act.Const && !w.Needs(through) && c.d.pkg.Processes().Concurrent(c.d.f, c.act.Base, &w) && c.excludes(w.Const)
	})
}

// excludes reports whether control only comes to the act if what was read, maybe by a
// getter, is not the constant.
func (c *candidate) excludes(text string) bool {
	in, at := c.decision()
	for _, br := range in.d.f.Deciding(at) {
		side := in.d.f.FoundSide(br.Cond, in.read, func(f branch.Fact) bool {
			return f.Const != nil && f.IsNot(f.Const) && f.Const.ExactString() == text
		})
		if side >= 0 && in.d.only(br, side, at) {
			return true
		}
	}
	return false
}
