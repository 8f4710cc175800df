// Package handoff finds the acts at a distance of a function: the writes that another goroutine
// makes because of what the function sends to it, or starts it with.
//
//	s.mu.Lock(); _, ok := s.owner[name]; s.mu.Unlock()
//	if !ok {
//		s.joins <- join{name, owner} // for j := range s.joins { s.mu.Lock(); s.owner[j.name] = j.owner; s.mu.Unlock() }
//	}
//
// The check and the act belong to one operation, as if the sender had called the code behind
// the receive, but no lock of the sender is held there. So a send to a channel is an asynchronous
// call of what follows a receive from that channel, up to the next receive; a go statement is one
// of the function that is started. A channel is told by the location that contains it, a field or
// a package variable, or by the instruction that makes it, if only local variables contain it.
//
// The acts are in the terms of the function that sends. The path of the channel says which object
// of the sender is which of the receiver: if one sends to p0.log.in, and the other receives from
// p0.in, then p0 there is p0.log here. The message is a parameter, and its fields are known one
// by one where the sender composes it. The sender may be a function that is called with the
// message, and the receiver may send on.
//
// What follows a receive is an act at a distance if it depends on the message, by data or by
// control: then it is known to be made for the message. These are may-dependences; that a send
// is received at all is assumed. A receiver that tests a constant field of the message, or its
// type, acts for the messages that pass. A channel that is handed on as a parameter or is an
// element of a container is not followed, nor is one that code of another package receives from:
// an interface, as that of a replicated log, has no known receiver.
package handoff

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
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
	// Takes is set if the act empties what its section has read: it takes out what is there
	// at that time.
	Takes bool
}

// Handoffs finds the acts at a distance of the functions of a package.
type Handoffs struct {
	p         *funcsum.Summaries
	receivers map[origin][]*reception
	in        map[*funcsum.Body][]*reception // by the function that receives, by itself
	sends     map[*funcsum.Body][]*send
	acts      map[*funcsum.Body][]Act
}

// New returns the Handoffs of a package.
func New(p *funcsum.Summaries) *Handoffs {
	h := &Handoffs{
		p:         p,
		receivers: make(map[origin][]*reception),
		in:        make(map[*funcsum.Body][]*reception),
		sends:     make(map[*funcsum.Body][]*send),
		acts:      make(map[*funcsum.Body][]Act),
	}
	for _, f := range p.Funcs {
		if f.Flow == nil {
			continue
		}
		for _, r := range slices.Concat(receptions(f), removals(f)) {
			h.receivers[r.from] = append(h.receivers[r.from], r)
			h.in[f] = append(h.in[f], r)
		}
	}
	h.returned()
	return h
}

// Of returns the acts that f causes. In a cycle of messages an act is found once.
func (h *Handoffs) Of(f *funcsum.Body) []Act {
	if list, known := h.acts[f]; known || f.Flow == nil {
		return list
	}
	h.acts[f] = nil
	out := h.started(f)
	for _, s := range h.sendsOf(f) {
		for _, r := range h.receivers[s.to] {
			out = append(out, h.received(f, s, r)...)
		}
	}
	if len(out) > limit.Handoffs {
		h.p.Limits.Add(callgraph.Name(f.Fn), "Handoffs")
		out = out[:limit.Handoffs]
	}
	h.acts[f] = out
	return out
}

// A Sender is a function that sends, by itself, and the send.
type Sender struct {
	In    *funcsum.Body
	Instr ssa.Instruction
}

// Senders returns the sends to the channel that a message has been sent to.
func (h *Handoffs) Senders(a *Act) []Sender {
	var out []Sender
	for _, f := range h.p.Funcs {
		if f.Flow == nil {
			continue
		}
		for _, s := range h.sendsOf(f) {
			if s.calls == 0 && s.to == a.to {
				out = append(out, Sender{f, s.instr})
			}
		}
	}
	return out
}

// received returns the acts that r makes because of s.
func (h *Handoffs) received(f *funcsum.Body, s *send, r *reception) []Act {
	x := newCrossing(f, s, r)
	var out []Act
	visit := func(w *funcsum.Event, by *funcsum.Body, access *funcsum.Event, compared bool) {
		if !w.Writes() || len(w.Holds) == 0 || !r.leadsTo(w.Instr) || !x.passes(w) {
			return
		}
		value, decision := r.uses(valuesOf(w)), r.uses(r.in.Conditions(w))
		if value == nil && decision == nil && r.uses(w.Inputs) == nil {
			return
		}
		e := x.event(w, s)
		e.Inputs, e.Conditions = s.operands(value), append(s.operands(decision), s.conditions...)
		if a, ok := h.act(f, e, w); ok {
			a.By, a.Access, a.Sent, a.Await = by, access, true, s.await
			a.Receiver, a.to, a.Listed = r.in, s.to, s.listed
			a.Compared = compared || r.compares(w) || isExtreme(by, access)
			a.Takes = takes(by, access)
			out = append(out, a)
		}
	}
	out = append(out, h.carriedOut(f, s, r, x)...)
	for _, w := range r.in.Events {
		visit(w, r.in, w, false)
	}
	for _, next := range h.Of(r.in) {
		visit(next.Event, next.By, next.Access, next.Compared)
	}
	return out
}

// act completes the event of an act: it has an object with a name in f, and its dependences are
// on the reads of f.
func (h *Handoffs) act(f *funcsum.Body, e, w *funcsum.Event) (Act, bool) {
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

// takes reports whether a write of g empties what its section has read.
func takes(g *funcsum.Body, w *funcsum.Event) bool {
	return w.Empties() && slices.ContainsFunc(g.Events, func(e *funcsum.Event) bool {
		return e.Reads() && e.Loc == w.Loc && accesspath.Same(e.Base, w.Base) && funcsum.SharePassage(e, w)
	})
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
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && (b.Name() == "max" || b.Name() == "min") && slices.ContainsFunc(g.Events, func(e *funcsum.Event) bool {
		return e.Reads() && e.Loc == w.Loc && accesspath.Same(e.Base, w.Base) && funcsum.SharePassage(e, w) &&
			slices.ContainsFunc(call.Call.Args, func(v ssa.Value) bool { return slices.Contains(e.Values, v) })
	})
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

// awaitAfter returns an instruction that waits for something after instr, or nil.
func awaitAfter(f *funcsum.Body, instr ssa.Instruction) ssa.Instruction {
	for _, b := range f.Fn.Blocks {
		for _, k := range b.Instrs {
			if k != instr && waits(k) && f.Order().Flows(instr, k) {
				return k
			}
		}
	}
	return nil
}

// waits reports whether an instruction waits for another goroutine to send, or to end.
func waits(k ssa.Instruction) bool {
	switch k := k.(type) {
	case *ssa.UnOp:
		return k.Op == token.ARROW
	case *ssa.Select:
		return k.Blocking
	case *ssa.Call:
		fn := k.Call.StaticCallee()
		return fn != nil && fn.Name() == "Wait"
	}
	return false
}

// unchanged returns the value that v is, maybe of another type.
func unchanged(v ssa.Value) ssa.Value {
	for range limit.FuncValueSteps {
		switch c := v.(type) {
		case *ssa.MakeInterface:
			v = c.X
		case *ssa.ChangeType:
			v = c.X
		case *ssa.ChangeInterface:
			v = c.X
		case *ssa.FreeVar:
			b := depgraph.Binding(c)
			if b == nil {
				return v
			}
			v = b
		default:
			return v
		}
	}
	return v
}
