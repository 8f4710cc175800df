package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// removesChosen: the elements that are removed were chosen by what they contain, and the section of the act does not ask
// for that again.
//
//	for _, id := range s.expired() { // by their deadlines, under s.mu
//		s.revoke(id) // if s.leases[id] != nil { delete(s.leases, id) }, WRONG: it may have been renewed
//	}
//
// It is the same if the keys are sent to the goroutine that removes the elements.
func (p *pair) removesChosen() bool {
	r, w := p.read, p.act
	if r.Loc == w.Loc || !p.data && !p.decides || w.Op&summary.Delete == 0 || w.Key == "" || !r.Base.HasAny() || !r.Base.Within(w.Path) {
		return false
	}
	return !p.asksElementAgain()
}

// receiverLooksInside reports whether something in the element decides about its removal, in the section in which the
// receiver removes it: what it was chosen by, or a number that changes with that.
//
//	if l := s.leases[m.id]; l != nil && l.gen == m.gen { delete(s.leases, m.id) }
func (p *pair) receiverLooksInside() bool {
	events, act := p.distant.By.Events, p.distant.Access
	if slices.ContainsFunc(events, func(e *summary.Event) bool { return e.Reads() && e.Loc == p.read.Loc && summary.SharePassage(e, act) }) {
		return true
	}
	return slices.ContainsFunc(act.Control, func(i int) bool {
		e := events[i]
		return e.Base != act.Base && e.Base.Within(act.MemberPath()) && summary.SharePassage(e, act)
	})
}

// removesOutdated: an element is removed because of what was found in it, and the section of the act does not ask for that again.
//
//	s.mu.Lock(); l := s.leases[id]; over := now.After(l.deadline); s.mu.Unlock()
//	if over { s.revoke(id) } // WRONG: it may have been renewed
//
// A callee that looks, and says that the element is to go, may have seen to it that it stays so, by a mark.
func (p *pair) removesOutdated() bool {
	r, w := p.read, p.act
	if r.Loc == w.Loc || !p.decides || w.Op&summary.Delete == 0 || p.marksInCallee() {
		return false
	}
	// What was read is in the element under the very key: see removesChosen for the elements that a callee has chosen.
	return w.Key != "" && !w.Key.HasAny() && r.Base != w.Base && r.Base.Within(w.Path) && !p.asksElementAgain()
}

// marksInCallee reports whether the callee that reads, or one that is not known, writes anything in the section of the read.
func (p *pair) marksInCallee() bool {
	if p.read.Callee == nil {
		return false
	}
	g, inner := p.reader()
	return inner.Callee != nil || slices.ContainsFunc(g.Events, func(e *summary.Event) bool { return e.Writes() && summary.SharePassage(e, inner) })
}

// reader returns the function that reads, which may be a callee, with the access there.
func (p *pair) reader() (*summary.Func, *summary.Event) {
	f, r := p.d.f, p.read
	for f, r = range p.d.others.Descent(p.d.f, p.read) {
	}
	return f, r
}

// asksElementAgain reports whether the section of the act asks again for what was read of the element.
func (p *pair) asksElementAgain() bool {
	if p.distant != nil {
		return p.receiverLooksInside()
	}
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && summary.SharePassage(e, p.act) && (e.Loc == p.read.Loc || sameCell(e, p.act) && p.comparesElement(e))
	})
}

// comparesElement reports whether the act is decided by what an element is, which e reads, and not only by whether there is one.
//
//	if cached, ok := s.events[k]; ok && equal(cached, seen) { delete(s.events, k) }
func (p *pair) comparesElement(e *summary.Event) bool {
	c := candidate{pair: *p}
	c.read = e
	return slices.ContainsFunc(p.d.f.OwnConditions(p.act), func(cond ssa.Value) bool { return p.d.f.Slice(cond).HasAny(e.Values) && c.asksValue(cond) })
}

// isOrdered: the decision to remove the element compares what was found with something, as a deadline with the time. That of a state, or of a
// flag, is mostly about the last one of the element, in which it stays:
//
//	if j.state == done { s.forget(id) }
func (c *candidate) isOrdered() bool {
	f, read := c.reader()
	return slices.ContainsFunc(c.judging(f), func(v ssa.Value) bool {
		return orders(f, read, v, token.LSS, token.LEQ, token.GTR, token.GEQ) || isComparison(f, read, v)
	})
}

// judging returns the values on which the decision depends in function f, that of the act or a callee which reads and answers.
func (c *candidate) judging(f *summary.Func) []ssa.Value {
	var out []ssa.Value
	if f != c.d.f {
		for _, ret := range ssautil.Returns(f.Fn) {
			for i := range ret.Results {
				out = append(out, f.Slice(ssautil.Returned(ret, i))...)
			}
		}
		return out
	}
	for _, cond := range c.conditions() {
		out = append(out, f.Slice(cond)...)
	}
	return out
}

// orders reports whether a value is one of the comparisons of what was read with something else.
func orders(f *summary.Func, read *summary.Event, v ssa.Value, ops ...token.Token) bool {
	x, ok := v.(*ssa.BinOp)
	return ok && slices.Contains(ops, x.Op) && (f.Slice(x.X).HasAny(read.Values) || f.Slice(x.Y).HasAny(read.Values))
}

// isComparison reports whether a value is a call that compares what was read with another value.
//
//	now.After(l.deadline)
func isComparison(f *summary.Func, read *summary.Event, v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || len(call.Call.Args) < 2 || call.Type().String() != "bool" {
		return false
	}
	return slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool { return f.Slice(arg).HasAny(read.Values) })
}

// staysBeyond: what was found too large is only raised, or what was found too small only lowered.
//
//	if e.failures > most { s.drop(id) } // e.failures++
func (c *candidate) staysBeyond() bool {
	only := func(effect summary.Effect) bool {
		return !slices.ContainsFunc(c.info.Writers, func(w summary.Writer) bool { return w.Effect != effect })
	}
	raised, lowered, found := only(summary.Raises), only(summary.Lowers), false
	if !raised && !lowered {
		return false
	}
	f, read := c.reader()
	for _, v := range c.judging(f) {
		if isComparison(f, read, v) {
			return false // which way it goes is not known
		}
		x, ok := v.(*ssa.BinOp)
		if !ok || !orders(f, read, v, token.LSS, token.LEQ, token.GTR, token.GEQ) {
			continue
		}
		if larger := (x.Op == token.GTR || x.Op == token.GEQ) == f.Slice(x.X).HasAny(read.Values); larger != raised {
			return false
		}
		found = true
	}
	return found
}
