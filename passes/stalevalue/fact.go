package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// A check goes stale only by a write that can make it come out the other way. Who
// raises a counter leaves it above zero, who deletes an element that was not there
// leaves it absent, who sets a flag that was set leaves it set.

// A fact is what a branch has found out about the variable that was read.
type fact struct {
	equal bool   // or not equal
	to    string // a constant; "present" for an element that is there, and not equal to that for one that is not
	above bool   // greater than zero, or not zero
}

// present stands for an element of a container that is there.
const present = "present"

// undoes reports whether a writer can make a decision come out the other way that
// the read of s was made for. If it is not known what was decided, it can.
func (d *detector) undoes(s *stale, w *summary.Writer) bool {
	if !s.act.Writes() && w.Part && w.Effect != summary.Removes && w.Const != "nil" {
		return false // what was found stays there
	}
	if s.data || w.Effect == summary.Anything && w.Const == "" {
		return true
	}
	facts := d.facts(s)
	return len(facts) == 0 || slices.ContainsFunc(facts, func(f fact) bool { return !f.survives(w) })
}

// survives reports whether a fact is still one after a write.
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
// what was read, nil if that cannot be told of one of them.
func (d *detector) facts(s *stale) []fact {
	var out []fact
	for _, br := range d.pkg.Branches(s.act) {
		if !d.pkg.Slice(d.f, br.Cond).HasAny(s.read.Values) {
			continue
		}
		f, ok := d.factOf(br.Cond, s, true)
		if !ok {
			return nil
		}
		switch {
		case d.only(br, 0, s.act.Instr.Block()):
		case d.only(br, 1, s.act.Instr.Block()):
			if f, ok = d.factOf(br.Cond, s, false); !ok {
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
func (d *detector) factOf(cond ssa.Value, s *stale, holds bool) (fact, bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return d.factOf(c.X, s, !holds)
		}
	case *ssa.BinOp:
		return d.compared(c, s, holds)
	}
	if !slices.Contains(s.read.Values, cond) {
		return fact{}, false
	}
	switch d.pkg.Truth(d.f, cond) {
	case summary.Negated:
		holds = !holds
	case summary.Untold:
		return fact{}, false
	}
	if s.read.Key != "" {
		return fact{equal: holds, to: present}, true
	}
	return fact{equal: holds, to: "true"}, true
}

// compared returns what it means for what was read that a comparison with a constant
// is true, or false.
func (d *detector) compared(c *ssa.BinOp, s *stale, holds bool) (fact, bool) {
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
	case s.read.Callee != nil:
		// A getter that returns what it has read, or nil if there is nothing.
		return d.comparison(s, equal, text), equality && k.IsNil() && slices.Contains(s.read.Values, c.X)
	case equality && k.IsNil() && isElement(c.X, d.lists(s.read)):
		return fact{equal: equal, to: text, above: !equal}, true // an element that is not nil is there
	case !isRead(depgraph.LengthOf(c.X), s):
		return fact{}, false
	case equality:
		return d.comparison(s, equal, text), true
	}
	return fact{above: true}, c.Op == token.GTR && holds && text == "0"
}

// comparison is the fact of a comparison with a constant. A nil element is one that
// is not there.
func (d *detector) comparison(s *stale, equal bool, text string) fact {
	if s.read.Key != "" && text == "nil" {
		return fact{equal: !equal, to: present}
	}
	return fact{equal: equal, to: text, above: !equal && text == "0"}
}

// lists returns the values of r, and of the other reads of the same in its passage.
func (d *detector) lists(r *summary.Event) []ssa.Value {
	var out []ssa.Value
	for _, e := range d.f.Events {
		if e == r || e.Reads() && e.Loc == r.Loc && accesspath.Same(e.Base, r.Base) && summary.SharePassage(e, r) {
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
func isRead(v ssa.Value, s *stale) bool {
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return slices.Contains(s.read.Values, v)
	}
	return !slices.ContainsFunc(phi.Edges, func(e ssa.Value) bool {
		c, isConst := e.(*ssa.Const)
		return !(isConst && c.IsNil()) && !slices.Contains(s.read.Values, e)
	})
}
