package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
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
// An element that was found stays. That one was missing can change.
func (c *candidate) insertsOnly() bool {
	return c.info.InsertOnly && (!c.act.Writes() || !c.decides)
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
	if !c.info.InsertOnly && c.info.Latch == "" {
		return false
	}
	final := false
	for _, br := range c.d.f.Branches(c.act) {
		if !c.d.f.Slice(br.Cond).HasAny(c.read.Values) {
			continue
		}
		side := c.finalSide(br.Cond)
		if side < 0 || !c.d.only(br, side, c.act.Instr.Block()) {
			return false
		}
		final = true
	}
	return final
}

// finalSide returns the successor of a branch on cond that is taken if what was
// read has its final value, or -1 if the condition does not tell.
func (c *candidate) finalSide(cond ssa.Value) int {
	switch v := cond.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return otherSide(c.finalSide(v.X))
		}
	case *ssa.BinOp:
		return c.finalSideOfComparison(v)
	}
	if !slices.Contains(c.read.Values, cond) {
		return -1
	}
	switch c.d.f.Truth(cond) {
	case summary.Untold:
		return -1
	case summary.Negated:
		return otherSide(c.finalSideOfFlag(cond))
	}
	return c.finalSideOfFlag(cond)
}

func otherSide(side int) int {
	if side < 0 {
		return side
	}
	return 1 - side
}

func (c *candidate) finalSideOfComparison(v *ssa.BinOp) int {
	k, ok := v.Y.(*ssa.Const)
	if !ok || v.Op != token.EQL && v.Op != token.NEQ || !slices.Contains(c.read.Values, v.X) {
		return -1
	}
	eq := boolInt(v.Op != token.EQL)
	text := "nil"
	if k.Value != nil {
		text = k.Value.ExactString()
	}
	switch {
	case c.info.InsertOnly && text == "nil":
		return 1 - eq
	case c.info.Latch == text:
		return eq
	case c.info.Latch != "" && text == "nil":
		return 1 - eq
	}
	return -1
}

// finalSideOfFlag is finalSide for a condition that is what was read.
func (c *candidate) finalSideOfFlag(cond ssa.Value) int {
	if _, isElement := cond.(*ssa.Extract); isElement && c.info.InsertOnly {
		return 0
	}
	switch c.info.Latch {
	case "true":
		return 0
	case "false":
		return 1
	}
	return -1
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

// present stands for an element of a container that is there.
const present = "present"

// undoes: the rival can make the decision come out the other way that was made by the
// read. If it is not known what was decided, it can.
//
//	s.mu.Lock(); any := len(s.queue) > 0; s.mu.Unlock()
//	if any { s.mu.Lock(); s.state = busy; s.mu.Unlock() }
//
// A writer that only appends to the queue leaves it filled.
func (r rival) undoes() bool {
	c, w := r.candidate, r.writer
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
		return f.to == present && !f.equal
	case summary.Fills:
		return f.to == present && f.equal || f.to == "nil" && !f.equal
	case summary.Raises:
		// What is appended leaves the others in place.
		return f.above || f.equal && (f.to == present || f.to == "true")
	case summary.Lowers:
		return false
	}
	if f.to == present || w.Const == "" {
		return false
	}
	return f.equal == (w.Const == f.to)
}

// facts returns what the branches that decide about the act have found out about
// what was read, nil if one of them does not tell.
func (p *pair) facts() []fact {
	var out []fact
	for _, br := range p.d.f.Branches(p.act) {
		if !p.d.f.Slice(br.Cond).HasAny(p.read.Values) {
			continue
		}
		f, ok := p.factOf(br.Cond, true)
		if !ok {
			return nil
		}
		switch {
		case p.d.only(br, 0, p.act.Instr.Block()):
		case p.d.only(br, 1, p.act.Instr.Block()):
			if f, ok = p.factOf(br.Cond, false); !ok {
				return nil
			}
		default:
			return nil
		}
		out = append(out, f)
	}
	return out
}

// factOf returns what it means for what was read that cond is true, or false.
func (p *pair) factOf(cond ssa.Value, holds bool) (fact, bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return p.factOf(c.X, !holds)
		}
	case *ssa.BinOp:
		return p.compared(c, holds)
	}
	if !slices.Contains(p.read.Values, cond) {
		return fact{}, false
	}
	switch p.d.f.Truth(cond) {
	case summary.Negated:
		holds = !holds
	case summary.Untold:
		return fact{}, false
	}
	if p.read.Key != "" {
		return fact{equal: holds, to: present}, true
	}
	return fact{equal: holds, to: "true"}, true
}

// compared returns what it means for what was read that a comparison with a constant
// is true, or false.
func (p *pair) compared(c *ssa.BinOp, holds bool) (fact, bool) {
	k, ok := c.Y.(*ssa.Const)
	if !ok {
		return fact{}, false
	}
	text := "nil"
	if k.Value != nil {
		text = k.Value.ExactString()
	}
	equality, equal := c.Op == token.EQL || c.Op == token.NEQ, (c.Op == token.EQL) == holds
	switch {
	case p.read.Callee != nil:
		// A getter that returns what it has read, or nil if there is nothing.
		return p.comparison(equal, text), equality && k.IsNil() && slices.Contains(p.read.Values, c.X)
	case equality && k.IsNil() && isElement(c.X, p.lists()):
		return fact{equal: equal, to: text, above: !equal}, true // an element that is not nil is there
	case !p.isRead(depgraph.LengthOf(c.X)):
		return fact{}, false
	case equality:
		return p.comparison(equal, text), true
	}
	return fact{above: true}, c.Op == token.GTR && holds && text == "0"
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
