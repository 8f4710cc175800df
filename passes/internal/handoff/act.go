package handoff

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An Act is a write at a distance. Its event is in the terms of the function that causes it: the
// instruction is the send, the go statement, or the call that leads to a send; the guards are
// those of the goroutine that writes, and the dependences are on reads of the function.
type Act struct {
	*funcsum.Event
	// By is the function that receives the message, or that the goroutine is started with,
	// and Access the write there.
	By     *funcsum.Body
	Access *funcsum.Event
	// Receiver is the function that receives what f sends, By or one that sends it on, and to
	// the channel.
	Receiver *funcsum.Body
	to       origin
	// Sent is set for a send, and not for a go statement.
	Sent bool
	// Listed is set for an element that is appended to a list: others see it there.
	Listed bool
	// Await is an instruction that waits for something after the act was caused, or the call
	// of a function that does both, or nil.
	Await ssa.Instruction
	// Compared is set if the one who writes compares something in the message with shared
	// memory before, or writes the larger or smaller of the two.
	Compared bool
}

// event returns the event of an act that instr causes, without what it depends on.
func event(instr ssa.Instruction, w *funcsum.Event) *funcsum.Event {
	e := &funcsum.Event{Instr: instr, Ord: ssautil.Ordinal(instr), Op: w.Op, Const: w.Const, Traits: w.Traits, Distant: true}
	e.Pos = fact.Pos{Pos: ssautil.Pos(instr), Text: w.Pos.Text}
	return e
}

// hold returns a guard of the one who writes, which is acquired and released far from f.
func hold(g lockset.Guard, ord int) funcsum.Hold {
	return funcsum.Hold{Guard: g, Sites: []int{ord}, Inner: true}
}

// complete completes the event of an act: it has an object with a name in f, and its dependences are
// on the reads of f.
func complete(f *funcsum.Body, e, w *funcsum.Event) (Act, bool) {
	if e.Base == "" || e.Loc == "" {
		return Act{}, false
	}
	// Another one may be started with another value, or send it.
	e.Traits = e.Traits.With(fact.Pure, e.Pure() && !slices.ContainsFunc(e.Inputs, isVariable))
	e.Callee = &fact.FuncSummary{Accesses: []fact.Access{{
		Op: w.Op, Loc: w.Loc, Base: e.Base, Key: e.Key, Const: w.Const, Pos: w.Pos,
		Traits: w.Traits.With(fact.Looked, w.Traits.Has(fact.Looked) || w.Looked()), Depth: w.Depth(),
	}}}
	e.Data, e.Control = dependences(f, e.Inputs), dependences(f, f.Conditions(e))
	return Act{Event: e}, true
}

func isVariable(v ssa.Value) bool {
	_, constant := v.(*ssa.Const)
	return !constant
}

// dependences returns the reads of f that values depend on, as indexes into its events.
func dependences(f *funcsum.Body, values []ssa.Value) []int {
	var out []int
	for _, v := range values {
		slice := f.Slice(v)
		for i, r := range f.Events {
			if r.Reads() && slice.HasAny(r.Values) && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	return out
}

// valuesOf returns what a write stores, without the key.
func valuesOf(w *funcsum.Event) []ssa.Value {
	if w.Op&fact.Delete != 0 {
		return nil
	}
	if _, ok := w.Instr.(*ssa.MapUpdate); ok && len(w.Inputs) > 1 {
		return w.Inputs[:1]
	}
	return w.Inputs
}

// isExtreme reports whether a write of g stores the larger or smaller of what is there and
// something else:
//
//	s.seen = max(s.seen, n)
func isExtreme(g *funcsum.Body, w *funcsum.Event) bool {
	if len(w.Inputs) == 0 || w.Callee != nil {
		return false
	}
	call, ok := w.Inputs[0].(*ssa.Call)
	if !ok {
		return false
	}
	b := ssautil.Builtin(&call.Call)
	return (b == "max" || b == "min") && slices.ContainsFunc(g.Events, func(e *funcsum.Event) bool {
		return e.Reads() && e.Loc == w.Loc && accesspath.Same(e.Base, w.Base) && funcsum.SharePassage(e, w) &&
			slices.ContainsFunc(call.Call.Args, func(v ssa.Value) bool { return slices.Contains(e.Values, v) })
	})
}
