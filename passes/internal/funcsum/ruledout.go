package funcsum

import (
	"go/constant"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// A look at the location of a write, before the write, may ask less than a caller has asked before the call. What it asks is kept
// in the one form that the states of a machine have: the constants that are ruled out.
//
//	func (m *Members) bury(n *node) {
//		if n.state == dead { return } // rules out dead, and no other state
//		n.state = dead
//	}
//
// A look in another form is taken to ask all that a caller may have asked.

// looks returns the reads of the location of a write that decide about it in the function. Those of the callee that writes are known
// in its summary.
func (f *Body) looks(w *Event) []*Event {
	var out []*Event
	for _, i := range w.Control {
		if r := f.Events[i]; !slices.Contains(w.upserts, i) && (w.Callee == nil || r.Ord != w.Ord) && r.Loc == w.Loc && r.Base == w.Base && accesspath.KeysMayMatch(r.Key, w.Key) && !f.AsksForContainer(r, w) && !f.asksForOwnValue(r, w) {
			out = append(out, r)
		}
	}
	return out
}

// ruledOut returns the constants that the looks of a write rule out, sorted: those of the callee that writes and those of the
// function itself, nil if one of them asks something else.
func (f *Body) ruledOut(w *Event, looks []*Event) []string {
	inCallee := w.Callee != nil && w.Callee.Accesses[w.Index].Traits.Has(fact.Looked)
	var out []string
	if inCallee {
		if out = w.Callee.Accesses[w.Index].RuledOut; out == nil {
			return nil
		}
	}
	if slices.ContainsFunc(w.Data, func(i int) bool { return f.Events[i].Loc == w.Loc && f.Events[i].Base == w.Base }) {
		return nil // what is written goes by what is there
	}
	if len(looks) == 0 {
		return out // sorted in the callee
	}
	here := f.ruledOutBy(looks, w)
	if here == nil {
		return nil
	}
	out = slices.Concat(out, here)
	slices.Sort(out)
	return slices.Compact(out)
}

// ruledOutBy returns the constants that reads of the function itself rule out where a write is made, nil if they ask something else.
// A condition that depends on what was read, and does not compare it with a constant, is something else:
//
//	if n.state == dead || !mortal[n.state] { return }
func (f *Body) ruledOutBy(looks []*Event, w *Event) []string {
	found := func(is branch.Fact) (out []branch.Fact) {
		for _, r := range looks {
			out = slices.AppendSeq(out, f.Found(r, is))
		}
		return out
	}
	for _, cond := range f.Conditions(w) {
		slice := f.Slice(cond)
		if !slices.ContainsFunc(looks, func(r *Event) bool { return slice.HasAny(r.Values) }) {
			continue
		}
		for _, holds := range []bool{true, false} {
			if is := found(branch.Alone(cond, holds)); len(is) != 1 || is[0].Const == nil && !is[0].Nil() && !is[0].NonNil() {
				return nil
			}
		}
	}
	var out []string
	for at := range branch.At(w.Instr.Block()) {
		for _, is := range found(at) {
			text, ok := ruledOutText(is)
			if !ok {
				return nil
			}
			out = append(out, text)
		}
	}
	return out
}

// ruledOutText returns the text of what a fact rules out: see fact.Access.
func ruledOutText(is branch.Fact) (string, bool) {
	if is.NonNil() {
		return "nil", true
	}
	if is.Const == nil || is.Length {
		return "", false
	}
	text := is.Const.ExactString()
	switch is.Relation {
	case branch.Differs:
		return text, true
	case branch.Below:
		return "<" + text, is.Const.Kind() == constant.Int
	case branch.Above:
		return ">" + text, is.Const.Kind() == constant.Int
	}
	return "", false
}
