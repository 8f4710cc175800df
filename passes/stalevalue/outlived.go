package stalevalue

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/anchor"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/lifetime"
	"github.com/atomvet/atomvet/passes/summary"
)

// An outlived object: a function finds an object in a shared variable, and uses it in a way that
// does harm if another function has taken the object out and ended it in between. See package
// lifetime.
//
//	s.mu.Lock(); c := s.conns[id]; s.mu.Unlock()
//	close(c.done) // remove: delete(s.conns, id); close(c.done)

// An outlived is a read that finds an object, a later use of the object, and the end that may
// come in between.
type outlived struct {
	d     *detector
	found *summary.Event
	guard summary.Hold // under which it was found
	use   objectUse
	end   *lifetime.End
}

// An objectUse is a use of an object.
type objectUse struct {
	instr ssa.Instruction
	at    token.Pos
	what  string // what the use does
	// write is the access that the use is, nil for an operation on a channel.
	write *summary.Event
	lifetime.Right
}

func (o *outlived) String() string {
	return fmt.Sprintf("outlived-object: %s found at line %d, used at line %d, ended by %s, in %s",
		o.d.f.NameOf(o.found), o.d.line(o.d.pos(o.found)), o.d.line(o.use.at), o.end.Writer.Func, summary.Name(o.d.f.Fn))
}

func (o *outlived) Positions() []token.Pos {
	return []token.Pos{o.use.at, o.d.pos(o.found), o.d.f.Fn.Pos()}
}

// outlivedObjects reports, for each variable in which the function finds objects, the first use
// of one that may have ended.
func (d *detector) outlivedObjects(rules rule.Set[*outlived]) {
	reported := make(map[accesspath.Location]bool)
	for _, e := range elementsFirst(d.f.Events) {
		if !e.Reads() || e.Writes() || reported[e.Loc] {
			continue
		}
		guard, ok := validGuard(e, d.pkg.Location(e.Loc))
		if !ok {
			continue
		}
		ends := d.lives.Ends(e.Loc)
		if len(ends) == 0 {
			continue
		}
		if o := d.outlived(e, guard, ends, rules); o != nil {
			reported[e.Loc] = true
			d.findings = append(d.findings, o.finding(rules.Doubts(d.judge, o)))
		}
	}
}

// elementsFirst returns the accesses to elements before those to whole variables, which are
// a part of them.
func elementsFirst(events []*summary.Event) []*summary.Event {
	out := slices.Clone(events)
	slices.SortStableFunc(out, func(a, b *summary.Event) int { return boolInt(a.Key == "") - boolInt(b.Key == "") })
	return out
}

// outlived returns the first use of what e has found that may come after one of the ends, or
// nil.
func (d *detector) outlived(e *summary.Event, guard summary.Hold, ends []lifetime.End, rules rule.Set[*outlived]) *outlived {
	object := d.lives.Found(d.f, e)
	for i := range ends {
		for _, use := range d.usesOf(object, &ends[i]) {
			if !use.at.IsValid() || use.instr == e.Instr {
				continue
			}
			for _, run := range d.runs(use.instr) {
				use.instr = run
				if o := (&outlived{d, e, guard, use, &ends[i]}); (d.endsBefore(e, run, guard) || d.detaches(run)) && rule.Accept(d.judge, rules, o) {
					return o
				}
			}
		}
	}
	return nil
}

// runs returns the instructions at which a use is made: a deferred call is made when the
// function returns.
func (d *detector) runs(use ssa.Instruction) []ssa.Instruction {
	if _, deferred := use.(*ssa.Defer); !deferred {
		return []ssa.Instruction{use}
	}
	var out []ssa.Instruction
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if run, ok := instr.(*ssa.RunDefers); ok && d.f.Order().Flows(use, run) {
				out = append(out, run)
			}
		}
	}
	return out
}

// usesOf returns the uses of an object that do harm after an end.
func (d *detector) usesOf(object *lifetime.Object, end *lifetime.End) []objectUse {
	var out []objectUse
	switch end.Kind {
	case lifetime.Closed, lifetime.Shut:
		for _, u := range d.lives.Uses(d.f) {
			if u.File != (end.Kind == lifetime.Shut) || u.File && !u.Sends {
				continue // to close a file twice does no harm
			}
			if u.Of == end.Of && object.Has(u.Object) && (u.Sends || !lifetime.MayBeNew(u.Object)) {
				what := "close"
				switch {
				case u.File:
					what = "use of it"
				case u.Sends:
					what = "send"
				}
				out = append(out, objectUse{instr: u.Instr, at: u.Instr.Pos(), what: what, Right: u.Right})
			}
		}
		return out
	case lifetime.Cleared:
		for _, r := range d.f.Events {
			if r.Loc == end.Of && (r.Key != "") == end.Element && d.follows(r) && slices.ContainsFunc(d.lives.Through(d.f, r), object.Has) {
				out = append(out, objectUse{instr: r.Instr, at: d.pos(r), what: "read", Right: d.lives.RightTo(d.f, r.Instr)})
			}
		}
		return out
	case lifetime.Replaced:
		for _, c := range object.Calls() {
			if d.mayFail(c, end) {
				out = append(out, objectUse{instr: c.Instr, at: c.Instr.Pos(), what: c.Method.Name(), Right: d.lives.RightTo(d.f, c.Instr)})
			}
		}
		return out
	}
	for _, w := range d.f.Events {
		if d.isLost(w, end) && slices.ContainsFunc(d.lives.Through(d.f, w), object.Has) {
			out = append(out, objectUse{instr: w.Instr, at: d.pos(w), what: "write", write: w, Right: d.lives.RightOf(d.f, w)})
		}
	}
	return out
}

// isLost reports whether a write adds to what an end has read, or decided by.
func (d *detector) isLost(w *summary.Event, end *lifetime.End) bool {
	switch {
	case w.Loc != end.Of:
		return end.Kind == lifetime.Judged && d.touches(w, end.Of) && d.fills(w) && d.adds(w) && !w.Delta() // a count is mostly a statistic of the object
	case end.Kind == lifetime.Drained:
		return d.fills(w) || end.Period && w.Delta()
	default:
		return d.fills(w) && d.adds(w)
	}
}

// touches reports whether the section of a write also sets the time of the last use of the object, by which idle objects are removed.
//
//	g := c.game(id)
//	g.mu.Lock(); g.moves = append(g.moves, m); g.last = time.Now(); g.mu.Unlock()
func (d *detector) touches(w *summary.Event, stamp accesspath.Location) bool {
	return w.Loc != stamp && slices.ContainsFunc(d.f.Events, func(t *summary.Event) bool {
		return t.Writes() && t.Loc == stamp && t.Clock() && t.Base == w.Base && summary.SharePassage(t, w)
	})
}

// follows reports whether a read yields a pointer, of the function itself, that is followed
// without a test, or an interface with a method that is called.
func (d *detector) follows(r *summary.Event) bool {
	return r.Callee == nil && r.Reads() && !r.Writes() && !r.Tested() && slices.ContainsFunc(r.Values, func(v ssa.Value) bool { return isFollowed(v) || isInvoked(v) })
}

// isInvoked reports whether v is an interface with a method that is called, and not compared.
func isInvoked(v ssa.Value) bool {
	if _, ok := v.Type().Underlying().(*types.Interface); !ok {
		return false
	}
	invoked := false
	for _, use := range ssautil.Uses(v) {
		switch use := use.(type) {
		case ssa.CallInstruction:
			invoked = invoked || use.Common().IsInvoke() && use.Common().Value == v
		case *ssa.BinOp, *ssa.Phi:
			return false // it is looked at first
		}
	}
	return invoked
}

// mayFail reports whether the call of a method of an object, of the type that the end is of,
// can fail as the object has ended: it returns an error.
func (d *detector) mayFail(c lifetime.Call, end *lifetime.End) bool {
	if lifetime.IsClosing(c.Method) || !sameReceiver(c.Method, end.Closer) {
		return false
	}
	results := c.Method.Signature().Results()
	return results.Len() > 0 && ssautil.IsError(results.At(results.Len()-1).Type())
}

// sameReceiver reports whether two methods belong to one type.
func sameReceiver(a, b *types.Func) bool {
	return types.Identical(ssautil.Deref(a.Signature().Recv().Type()), ssautil.Deref(b.Signature().Recv().Type()))
}

// fills reports whether a write adds to the content of an object. The time of the last use, and
// what is removed, nobody misses; a constant is a flag, and an atomic variable is mostly a
// count of users or a statistic.
func (d *detector) fills(w *summary.Event) bool {
	return w.Writes() && w.Op&(summary.Delete|summary.Content) == 0 && !slices.ContainsFunc(w.Holds, summary.Hold.IsAtomic) && !w.Clock() && w.Const == ""
}

// adds reports whether a write adds an element or an amount, here or in a callee.
func (d *detector) adds(w *summary.Event) bool {
	return w.Key != "" || w.Effect() == summary.Raises
}

// isTakenOut: the function takes the object out in the section in which it finds it.
//
//	s.mu.Lock(); c := s.conns[id]; delete(s.conns, id); s.mu.Unlock()
//	close(c.done)
func (o *outlived) isTakenOut() bool {
	return o.d.lives.Takes(o.d.f, o.found) || slices.Contains(o.use.Claims, o.found.Loc)
}

// isClaimed: the function and the one that ends the object claim it alike, or the function
// counts as a user where the other one asks for the last user.
//
//	if c.closing.Swap(true) { return }
//	close(c.done)
func (o *outlived) isClaimed() bool {
	return slices.ContainsFunc(o.end.Claims, func(l accesspath.Location) bool {
		return slices.Contains(o.use.Claims, l) || slices.ContainsFunc(o.d.f.Events, func(w *summary.Event) bool {
			return w.Writes() && w.Loc == l && w.Instr != o.use.instr && o.d.f.Order().Flows(w.Instr, o.use.instr)
		})
	})
}

// tellsEnder: the function changes, in the section in which it finds the object, a flag of its owner that the one that ends the object
// asks for.
//
//	s.mu.Lock(); s.started = true; for _, l := range s.listeners { go l.run() }; s.mu.Unlock()
//	// remove: if !s.started { close(l.done) }
func (o *outlived) tellsEnder() bool {
	return slices.ContainsFunc(o.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc != o.found.Loc && summary.SharePassage(w, o.found) && slices.Contains(o.end.Asks, w.Loc)
	})
}

// isPinned: the function does something to the object in the section in which it finds it.
//
//	s.mu.Lock(); c := s.conns[id]; c.users.Add(1); s.mu.Unlock()
//	c.out <- x // remove: c.users.Wait(); close(c.out)
func (o *outlived) isPinned() bool { return o.d.lives.Pins(o.d.f, o.found, o.guard) }

// asks: the use is decided, in its own section, by what the other function writes. A write into
// an object can as well be followed by the question, and is if the function makes it again then.
//
//	c.mu.Lock()
//	if !c.closed { // remove: c.closed = true; close(c.out)
//		c.out <- x
//	}
//	c.mu.Unlock()
func (o *outlived) asks() bool {
	told := func(l accesspath.Location) bool {
		return (l != o.end.Of || o.end.Kind == lifetime.Cleared) &&
			slices.ContainsFunc(o.end.Func.Events, func(w *summary.Event) bool { return w.Writes() && w.Loc == l }) && !o.isCount(l)
	}
	if o.end.Kind == lifetime.Cleared && (slices.Contains(o.use.Claims, o.end.Of) || o.looksBeside()) {
		return true // tested, and cleared by the function itself
	}
	if o.d.lives.Confirms(o.d.f, o.found) || slices.ContainsFunc(o.use.Asks, told) || slices.ContainsFunc(o.use.Tests, func(e *summary.Event) bool {
		return told(e.Loc) && !o.isAbsent(e) && (e.Loc != o.found.Loc || o.d.f.Order().EndsBetween(o.found.Instr, e.Instr, o.guard.Path))
	}) {
		return true
	}
	if slices.ContainsFunc(o.d.f.Events, o.isThere) {
		return true
	}
	if o.use.write == nil {
		return false
	}
	return slices.ContainsFunc(o.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e != o.found && e.Loc != o.found.Loc && e.Loc.Type() == o.end.Of.Type() && o.isFlag(e.Loc) && told(e.Loc) &&
			(o.d.f.Order().Flows(o.found.Instr, e.Instr) || e.Instr == o.found.Instr && e.Index > o.found.Index) // a callee that finds it asks as well
	})
}

// looksBeside reports whether the function tests another read of the pointer that is followed, before it or
// in the same section.
//
//	s.mu.Lock(); ready := s.isReady(); c := s.conn; s.mu.Unlock() // isReady: s.conn != nil
//	if ready { c.Send(x) }
func (o *outlived) looksBeside() bool {
	f := o.d.f
	i := slices.IndexFunc(f.Events, func(e *summary.Event) bool { return e.Instr == o.use.instr && e.Loc == o.end.Of })
	return i >= 0 && slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		if e == o.found || e.Instr == o.use.instr || !e.Reads() || e.Loc != o.end.Of || e.Base != f.Events[i].Base {
			return false
		}
		return (o.d.oneSection(e, f.Events[i]) || o.knows(e, branch.Fact.NonNil)) && f.DecidesBranch(e.Values)
	})
}

// isCount reports whether a variable is changed by amounts, and only reset by the one that ends the
// object: no value of it implies that the object has ended.
func (o *outlived) isCount(l accesspath.Location) bool {
	return !o.isFlag(l) && slices.ContainsFunc(o.d.pkg.Funcs, func(f *summary.Func) bool {
		return slices.ContainsFunc(f.Events, func(e *summary.Event) bool { return e.Writes() && e.Loc == l && e.Delta() })
	})
}

// isAbsent reports whether the use is made where a test has found no element, and the one that ends the
// object empties the container: an absent element does not imply that the object has ended.
//
//	if _, ok := c.users[id]; !ok { c.users[id] = u } // close: c.users = nil
func (o *outlived) isAbsent(e *summary.Event) bool {
	return e.Key != "" && o.isEmptied(e.Loc) && o.knows(e, func(f branch.Fact) bool { return f.Absent() || f.Nil() })
}

// isThere reports whether the use is made where a test, in its section, has found the container, or an
// element of it: the one that ends the object leaves neither.
//
//	if c.users != nil { c.users[id] = u } // close: c.users = nil
func (o *outlived) isThere(e *summary.Event) bool {
	if !e.Reads() || e.Loc.Type() != o.end.Of.Type() || !o.isEmptied(e.Loc) ||
		!o.knows(e, func(f branch.Fact) bool { return f.NonNil() || f.Present() }) {
		return false
	}
	return slices.ContainsFunc(e.Holds, func(h summary.Hold) bool { return !o.d.f.Order().EndsBetween(e.Instr, o.use.instr, h.Path) })
}

// isEmptied reports whether the one that ends the object leaves nothing in a container.
func (o *outlived) isEmptied(l accesspath.Location) bool {
	return slices.ContainsFunc(o.end.Func.Events, func(w *summary.Event) bool { return w.Loc == l && w.Key == "" && w.Writes() && w.Empties() })
}

// knows reports whether a fact about what was read holds where the use is made.
func (o *outlived) knows(e *summary.Event, asked func(branch.Fact) bool) bool {
	return o.d.f.Knows(e, o.use.instr.Block(), asked)
}

// isFlag reports whether a variable is set to the same constant by the one that ends the object.
func (o *outlived) isFlag(l accesspath.Location) bool {
	return slices.ContainsFunc(o.end.Func.Events, func(w *summary.Event) bool { return w.Writes() && w.Loc == l && w.Const != "" && !w.Empties() })
}

// looksAfterwards: the function looks into the variable again after the write, and decides by
// that.
//
//	for {
//		b := s.batch.Load()
//		b.add(x)
//		if s.batch.Load() == b { return }
//	}
func (o *outlived) looksAfterwards() bool {
	return slices.ContainsFunc(o.d.f.Events, func(e *summary.Event) bool {
		if e == o.found || !e.Reads() || e.Loc != o.found.Loc || !o.d.f.Order().Exists(summary.Way{From: o.use.instr, To: e.Instr, Forward: true}) {
			return false
		}
		return o.d.f.DecidesBranch(e.Values)
	})
}

// triesAgain: what follows the use may look the object up again.
//
//	for {
//		err := s.current().Write(b)
//		if err != errClosed { return err }
//	}
func (o *outlived) triesAgain() bool {
	return o.end.Kind == lifetime.Replaced && o.d.f.Order().Flows(o.use.instr, o.found.Instr)
}

// callsEnder: the function itself calls the one that replaces the object, as that fails.
//
//	if err := s.current().Write(b); err != nil {
//		s.reconnect() // replaces the connection, and closes the old one
//	}
func (o *outlived) callsEnder() bool {
	return o.end.Kind == lifetime.Replaced && slices.ContainsFunc(o.d.f.Calls, func(c callgraph.Call) bool { return c.Callee == o.end.Func.ID })
}

// recovers: the function recovers from the panic.
//
//	defer func() { recover() }()
//	c.out <- x
func (o *outlived) recovers() bool {
	return o.end.Kind == lifetime.Closed && ssautil.Recovers(o.d.f.Fn)
}

// enderWaits: the other function waits before it ends the object.
func (o *outlived) enderWaits() bool { return o.end.Waits }

// enderJoins: the use is made by a goroutine that the other function, or its callers, may have waited for before it ends the object.
//
//	s.mu.Lock(); if !s.done { s.group.Go(func() { c.out <- x }) }; s.mu.Unlock()
//	// close: s.mu.Lock(); s.done = true; s.mu.Unlock(); s.group.Wait(); close(c.out)
func (o *outlived) enderJoins() bool {
	uses := o.d.lives.Uses(o.end.Func)
	i := slices.IndexFunc(uses, func(u lifetime.Use) bool { return u.Pos == o.end.At })
	if i < 0 || !o.d.detaches(o.use.instr) {
		return false
	}
	for _, step := range o.d.pkg.Steps(o.d.f)[o.use.instr] {
		for _, c := range step.Callees {
			goroutine := o.d.pkg.Of(c)
			if o.d.pkg.Processes().StillRuns(process.Activity{F: o.end.Func, At: uses[i].Instr}, process.Activity{F: goroutine, At: goroutine.Fn.Blocks[0].Instrs[0]}) {
				return false
			}
		}
	}
	return true
}

// hasRival: the other function can run in between.
func (o *outlived) hasRival() bool {
	var held []accesspath.Location
	for _, h := range o.found.Holds {
		if !h.Inner && !o.d.f.Order().EndsBetween(o.found.Instr, o.use.instr, h.Path) && !o.d.detaches(o.use.instr) {
			held = append(held, h.Class)
		}
	}
	for _, g := range o.d.f.Entry {
		held = append(held, g.Class)
	}
	if slices.ContainsFunc(o.end.Locks, func(l accesspath.Location) bool { return slices.Contains(held, l) }) {
		return false
	}
	if o.end.Func == o.d.f && o.d.keyTaken(o.found) {
		return false // another goroutine that does the same has another object
	}
	return rival{d: o.d, writer: &o.end.Writer, base: o.found.Base, held: held}.runs()
}

// isDeep: the content of the object is accessed in the callee of a callee, which may decide by
// other means.
func (o *outlived) isDeep() bool { return o.end.Deep || o.use.write != nil && o.use.write.Depth() > 1 }

func (o *outlived) finding(doubts finding.Doubts) finding.Finding {
	d := o.d
	how := fmt.Sprintf("%s was found at line %d", d.f.NameOf(o.found), d.line(d.pos(o.found)))
	act := o.use.write
	if act == nil {
		act = useOf(o.found, o.use.instr)
	}
	if release := d.releaseAfter(o.found, act, o.guard); release.IsValid() {
		how += fmt.Sprintf(", but %s was released at line %d", d.f.GuardName(o.guard), d.line(release))
	}
	f := d.interruption(finding.Finding{
		Pos: o.use.at, Category: checkThenAct, Doubts: doubts,
		Message: fmt.Sprintf("%s; %s (%s) may %s %s", how, o.end.Writer.Func, o.end.Pos.Text, o.taking(), o.harm()),
		Notes: []finding.Note{
			{Pos: d.pos(o.found), Message: d.f.NameOf(o.found) + " is found here"},
			{Pos: o.end.Pos.Pos, Message: "it is " + o.taken() + " here, by " + o.end.Writer.Func},
			{Pos: o.end.At.Pos, Message: "it ends here"},
		},
		Group: d.group(d.f.GuardName(o.guard)),
	}, o.found, act, &o.end.Writer, "")
	if o.use.write == nil {
		o.place(f.Anchors)
	}
	return f
}

// place corrects the place of a use without a write, which may be in a callee, or deferred.
func (o *outlived) place(a *anchor.Anchors) {
	at := anchor.At(o.d.pass.Fset, o.use.at)
	if a == nil || at == nil {
		return
	}
	if in := a.Act.Place; o.use.instr.Parent() != o.d.f.Fn {
		a.Act.Calls, a.Act.Access = []anchor.Place{*at}, &in
	}
	a.Act.Place = *at
}

// taken says what the one that ends the object does with it first.
func (o *outlived) taken() string {
	if o.end.Left {
		return "found"
	}
	return "taken out"
}

// taking says how the object is taken out.
func (o *outlived) taking() string {
	if o.end.Kind == lifetime.Replaced {
		return "replace it"
	}
	if o.end.Left {
		return "find it as well"
	}
	return "take it out"
}

// harm says what the end is, and what harm the use does after it.
func (o *outlived) harm() string {
	name := o.end.Of.Name()
	switch {
	case name == "" && o.end.Kind == lifetime.Shut:
		name = "it"
	case name == "":
		name = "the channel"
	}
	switch o.end.Kind {
	case lifetime.Shut:
		return fmt.Sprintf("and close %s in between, and this %s fails", name, o.use.what)
	case lifetime.Closed:
		return fmt.Sprintf("and close %s in between, and this %s panics", name, o.use.what)
	case lifetime.Replaced:
		return fmt.Sprintf("by another one, and %s it, in between: then this %s fails", strings.ToLower(o.end.Closer.Name()), o.use.what)
	case lifetime.Cleared:
		return fmt.Sprintf("and clear %s in between, and what is read here is followed without a test", name)
	case lifetime.Drained:
		return fmt.Sprintf("and read %s for the last time in between: what is written here is lost", name)
	}
	return fmt.Sprintf("in between, as %s says that it is not needed: what is written here is lost", name)
}
