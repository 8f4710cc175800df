package stalevalue

import (
	"go/constant"
	"go/token"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A decision goes stale only by a write that can make it come out the other way. To raise
// a counter leaves it above zero, to delete an element that was not there leaves it
// absent, to set a flag that was set leaves it set.

// insertsOnly: elements are only ever added to the container that was read.
//
//	s.mu.Lock(); p := s.plugins[name]; s.mu.Unlock()
//	s.mu.Lock(); s.active[name] = p; s.mu.Unlock()
//
// An element that was found stays, and so does one of a slice that others only append to.
// That one was missing can change.
func (c *candidate) insertsOnly() bool {
	return (c.info.InsertOnly || c.read.Key != "" && c.info.AppendOnly()) && (!c.act.Writes() || !c.decides)
}

// isFinal: the act is on the side of the decision on which what was read cannot change
// any more: an element was found in a container to which elements are only added, or a
// flag has the only value that it is ever given.
//
//	s.mu.Lock(); closed := s.closed; s.mu.Unlock()
//	if closed {
//		s.mu.Lock(); s.err = errClosed; s.mu.Unlock()
//	}
func (c *candidate) isFinal() bool {
	final := false
	in, at := c.decision()
	for _, br := range in.d.f.Deciding(at) {
		if !in.d.f.Slice(br.Cond).HasAny(in.read.Values) {
			continue
		}
		side := in.d.f.FoundSide(br.Cond, in.read, c.finalBy)
		if side < 0 || !in.d.only(br, side, at) {
			return false
		}
		final = true
	}
	return final
}

// finalBy reports whether what was read has its final value if f holds for it.
func (c *candidate) finalBy(f branch.Fact) bool {
	switch {
	case f.True() || f.False():
		return c.finalByFlag(f)
	case f.NonNil():
		return !c.isSelected(f.Subject) && (c.info.InsertOnly || c.info.Latch != "" && c.info.Latch != "nil")
	case f.Nil():
		return !c.info.InsertOnly && c.info.Latch == "nil"
	}
	return f.Relation == branch.Equal && f.Const != nil && (f.Const.ExactString() == c.info.Latch || c.isTerminal(f.Const.ExactString()))
}

// isTerminal reports whether nobody stores another value where what was read has a certain one: all others look, in the section of
// their write, and leave that as it is.
//
//	if s.state != closed { s.state = busy }
func (c *candidate) isTerminal(value string) bool {
	for i := range c.info.Writers {
		if w := &c.info.Writers[i]; w.Const != value && !c.d.isKeptFrom(w, c.read.Loc, value) {
			return false
		}
	}
	return len(c.info.Writers) > 0
}

// isKeptFrom reports whether a writer certainly does not write where a location has a value.
func (d *detector) isKeptFrom(by *summary.Writer, l accesspath.Location, value string) bool {
	f, w := d.pkg.WriteOf(by)
	if w == nil {
		return false
	}
	writer := d.in(f)
	if w.Callee != nil && w.Callee.Accesses[w.Index].RulesOut(value) {
		return true
	}
	return slices.ContainsFunc(w.Control, func(i int) bool {
		test := f.Events[i]
		if test.Loc != l || !test.Reads() || !accesspath.Same(test.Base, w.Base) || !sameElement(test, w) || !writer.oneSection(test, w) {
			return false
		}
		for is := range f.FoundAt(test, w.Instr.Block()) {
			if is.Const != nil && !is.Length && (is.Relation == branch.Equal) != (is.Const.ExactString() == value) && (is.Relation == branch.Equal || is.Relation == branch.Differs) {
				return true
			}
		}
		return false
	})
}

// isSelected reports whether v is the object that a callee has selected by what was read in it, or in a part of it: that it is not nil
// implies no fact about the location that was read.
//
//	j := s.next() // for _, j := range s.jobs { if j.state == queued { return j } }; return nil
//	if j != nil { s.start(j) }
func (p *pair) isSelected(v ssa.Value) bool {
	if p.read.Callee == nil {
		return false
	}
	object := p.d.f.Res.Resolve(v).Path
	return object != accesspath.Unknown && p.read.Base.Within(object)
}

// finalByFlag is finalBy for a boolean, which tells whether an element was found, or is
// what was read.
func (c *candidate) finalByFlag(f branch.Fact) bool {
	truth := c.d.f.Truth(f.Subject)
	if truth == summary.Untold {
		return false
	}
	is := f.True() == (truth == summary.Plain)
	if _, isElement := f.Subject.(*ssa.Extract); isElement && c.info.InsertOnly {
		return is
	}
	return c.info.Latch == strconv.FormatBool(is)
}

// only reports whether b can be reached from the branch through the given
// successor only.
func (d *detector) only(br *ssa.If, side int, b *ssa.BasicBlock) bool {
	other := br.Block().Succs[1-side]
	return other != b && !d.f.Order().Exists(summary.Way{From: other.Instrs[0], To: b.Instrs[0], Avoid: br})
}

// A fact is what a branch has found out about the variable that was read.
type fact struct {
	equal bool   // or not equal
	to    string // a constant; "present" for an element that is there, and not equal to that for one that is not
	above bool   // greater than zero, or not zero
}

const (
	present = "present" // stands for an element of a container that is there
	earlier = "earlier" // stands for the value that an earlier read of the variable has had
)

// undoes: the rival can make the decision come out the other way that was made by the
// read. If it is not known what was decided, it can.
//
//	s.mu.Lock(); any := len(s.queue) > 0; s.mu.Unlock()
//	if any { s.mu.Lock(); s.state = busy; s.mu.Unlock() }
//
// A writer that only appends to the queue leaves it filled.
func (r rival) undoes() bool {
	c, w := r.candidate, r.writer
	if c.awaited && c.sameCell() {
		return takesBack(c.read, direction(w.Effect, w.Const), true)
	}
	if !c.act.Writes() && w.Part && w.Effect != summary.Removes && w.Const != "nil" {
		return false // what was found stays there
	}
	if c.data || w.Effect == summary.Anything && w.Const == "" {
		return true
	}
	facts := c.facts()
	return len(facts) == 0 || slices.ContainsFunc(facts, func(f fact) bool { return !f.survives(w) })
}

// survives reports whether a fact still holds after a write.
func (f fact) survives(w *summary.Writer) bool {
	switch w.Effect {
	case summary.Removes:
		// A list or a table in which there was nothing has nothing in it.
		return f.to == present && !f.equal || f.equal && f.to == "0"
	case summary.Fills:
		return f.to == present && f.equal || f.to == "nil" && !f.equal
	case summary.Raises:
		// What is appended leaves the others in place.
		return f.above || f.equal && (f.to == present || f.to == "true") || f.to == earlier && !f.equal
	case summary.Lowers:
		return false
	}
	if f.to == present || f.to == earlier || w.Const == "" {
		return false
	}
	return f.equal == f.is(w.Const)
}

// is reports whether a constant is the one of the fact. The length of nil is zero.
func (f fact) is(text string) bool { return text == f.to || text == "nil" && f.to == "0" }

// facts returns what the branches that decide about the act have found out about
// what was read, nil if one of them does not tell.
func (p *pair) facts() []fact {
	var out []fact
	in, at := p.decision()
	for _, br := range in.d.f.Deciding(at) {
		if !in.d.f.Slice(br.Cond).HasAny(in.read.Values) || in.asksForFailure(br.Cond) {
			continue
		}
		holds := in.d.only(br, 0, at)
		if !holds && !in.d.only(br, 1, at) {
			return nil
		}
		f, ok := in.factOf(br.Cond, holds)
		if !ok {
			return nil
		}
		out = append(out, f)
	}
	return out
}

// asksForFailure reports whether a condition is on an error of a call that was given what was read: it
// says nothing about that.
func (p *pair) asksForFailure(cond ssa.Value) bool {
	return asksForError(cond) && p.d.f.IsOutsideFailure(cond, p.read.Values)
}

// factOf returns what it means for what was read that cond is true, or false.
func (p *pair) factOf(cond ssa.Value, holds bool) (fact, bool) {
	f := branch.Alone(branch.Decided(cond, holds))
	equal, asksNil := f.Relation == branch.Equal, f.Nil() || f.NonNil()
	switch {
	case p.isWithin(f):
		return p.comparison(false, "0"), true
	case f.Relation == branch.Differs && !p.sameCell() && p.isEarlier(f):
		return fact{to: earlier}, true
	case f.Relation == branch.Unknown || f.Other != nil:
		return fact{}, false
	case f.True() || f.False():
		return p.flag(f)
	case p.polled(f.Subject) != nil:
		is := f.Const.ExactString() == strconv.Itoa(p.d.f.CaseOf(p.polled(f.Subject), p.read))
		return fact{equal: equal, to: "true"}, is
	case p.read.Callee != nil:
		// A getter that returns what it has read, or nil if there is nothing. An error tells of
		// other things as well, and an object that was selected by what is in it implies no fact about that.
		return p.comparison(equal, "nil"), asksNil && slices.Contains(p.read.Values, f.Subject) && !ssautil.IsError(f.Subject.Type()) && !p.isSelected(f.Subject)
	case asksNil && isElement(f.Subject, p.lists()):
		return fact{equal: equal, to: "nil", above: !equal}, true // an element that is not nil is there
	case !p.isRead(f.Subject):
		return fact{}, false
	case asksNil:
		return p.comparison(equal, "nil"), true
	case equal || f.Relation == branch.Differs:
		return p.comparison(equal, f.Const.ExactString()), true
	}
	return p.comparison(false, "0"), f.Relation == branch.Above && f.Const.ExactString() == "0"
}

// isEarlier reports whether a fact compares what was read with what an earlier read of the same variable has yielded. A number that is only
// raised, and is another one now, is never that again. An act that writes the number itself may overwrite what has been added to it.
//
//	if s.Revision() != checked { s.revoke(token) }
func (p *pair) isEarlier(f branch.Fact) bool {
	now, old := f.Subject, f.Other
	if !slices.Contains(p.read.Values, now) {
		now, old = old, now
	}
	return slices.Contains(p.read.Values, now) && slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e != p.read && e.Reads() && sameCell(e, p.read) && slices.Contains(e.Values, old) && p.d.f.Order().Exists(summary.Way{From: e.Instr, To: p.read.Instr, Forward: true})
	})
}

// isWithin reports whether a fact is that a number, which has nothing to do with what was read, is
// less than the length of the list that was read. What is appended leaves it so.
//
//	it.pos < len(it.s.list)
//	q.len() > 0 // func (q *Q) len() int { q.mu.Lock(); defer q.mu.Unlock(); return len(q.items) }
func (p *pair) isWithin(f branch.Fact) bool {
	length, other := f.Subject, f.Other
	if f.Relation == branch.Below && other != nil {
		length, other = other, length
	} else if f.Relation != branch.Above && !(f.Relation == branch.Differs && f.Const != nil && f.Const.ExactString() == "0") {
		return false
	}
	return p.isLength(length) && (other == nil || !p.d.f.Slice(other).HasAny(p.read.Values))
}

// isLength reports whether v is the length of the list that was read, or what a callee returns as
// that.
func (p *pair) isLength(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	if b := ssautil.Builtin(&call.Call); b != "" {
		return b == "len" && slices.Contains(p.read.Values, call.Call.Args[0])
	}
	getter := p.d.pkg.FuncOf(call.Call.StaticCallee())
	if p.read.Instr != call || getter == nil {
		return false
	}
	for _, r := range ssautil.Returns(getter.Fn) {
		n, ok := ssautil.Returned(r, 0).(*ssa.Call)
		if !ok || len(r.Results) != 1 || !isLengthOf(getter, n, p.read.Loc) {
			return false
		}
	}
	return true
}

// isLengthOf reports whether a call in f gives the length of what is at a location.
func isLengthOf(f *summary.Func, c *ssa.Call, l accesspath.Location) bool {
	return ssautil.Builtin(&c.Call) == "len" && slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc == l && e.Callee == nil && slices.Contains(e.Values, c.Call.Args[0])
	})
}

// polled returns the select statement with a default case of which v is the case that was taken, or
// nil. That of the channel of the flag that was read says that the channel was closed.
func (p *pair) polled(v ssa.Value) *ssa.Select {
	e, ok := v.(*ssa.Extract)
	if !ok || e.Index != 0 {
		return nil
	}
	if s, ok := e.Tuple.(*ssa.Select); ok && !s.Blocking && p.d.f.CaseOf(s, p.read) >= 0 {
		return s
	}
	return nil
}

// flag returns what it means for what was read that a flag is true, or false. A predicate may have compared it:
//
//	func (s *S) isIdle() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.state == idle }
func (p *pair) flag(f branch.Fact) (fact, bool) {
	truth := p.d.f.Truth(f.Subject)
	if !slices.Contains(p.read.Values, f.Subject) {
		return fact{}, false
	}
	if truth == summary.Untold {
		is, ok := p.d.f.Compared(p.read, f)
		return p.comparison(is.Relation == branch.Equal, textOf(is.Const)), ok
	}
	out := fact{equal: f.True() == (truth == summary.Plain), to: "true"}
	if p.read.Key != "" {
		out.to = present
	}
	return out, true
}

// comparison is the fact of a comparison with a constant. A nil element is one that
// is not there.
func (p *pair) comparison(equal bool, text string) fact {
	if p.read.Key != "" && text == "nil" {
		return fact{equal: !equal, to: present}
	}
	return fact{equal: equal, to: text, above: !equal && text == "0"}
}

// lists returns the values of the read, and of the other reads of the same in its section.
func (p *pair) lists() []ssa.Value {
	var out []ssa.Value
	for _, e := range p.d.f.Events {
		if e == p.read || e.Reads() && e.Loc == p.read.Loc && accesspath.Same(e.Base, p.read.Base) && summary.SharePassage(e, p.read) {
			out = append(out, e.Values...)
		}
	}
	return out
}

// isElement reports whether v is an element of one of the lists, at a fixed place, or
// nil. A loop can make a phi of itself, by way of others: each is followed once.
func isElement(v ssa.Value, lists []ssa.Value) bool {
	seen := make(map[*ssa.Phi]bool)
	var is func(v ssa.Value) bool
	is = func(v ssa.Value) bool {
		phi, ok := v.(*ssa.Phi)
		if !ok {
			return isFixedElement(v, lists)
		}
		if seen[phi] {
			return true // as far as its other edges are
		}
		seen[phi] = true
		return !slices.ContainsFunc(phi.Edges, func(e ssa.Value) bool {
			c, isConst := e.(*ssa.Const)
			return !(isConst && c.IsNil()) && !is(e)
		})
	}
	return is(v)
}

func isFixedElement(v ssa.Value, lists []ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	addr, ok := load.X.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	_, fixed := addr.Index.(*ssa.Const)
	return fixed && slices.Contains(lists, addr.X)
}

// isRead reports whether v is what was read, or nil where nothing was.
func (p *pair) isRead(v ssa.Value) bool {
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return slices.Contains(p.read.Values, v)
	}
	return !slices.ContainsFunc(phi.Edges, func(e ssa.Value) bool {
		c, isConst := e.(*ssa.Const)
		return !(isConst && c.IsNil()) && !slices.Contains(p.read.Values, e)
	})
}

// textOf returns the text of a constant, which is nil for the constant nil.
func textOf(k constant.Value) string {
	if k == nil {
		return "nil"
	}
	return k.ExactString()
}
