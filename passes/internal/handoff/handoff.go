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
// of the function that is started. A channel is identified by the location that contains it, a field or
// a package variable, or by the instruction that makes it, if only local variables contain it.
//
// The acts are in the terms of the function that sends. The path of the channel says which object
// of the sender is which of the receiver: if one sends to p0.log.in, and the other receives from
// p0.in, then p0 there is p0.log here. The message is a parameter, and its fields are known one
// by one where the sender composes it. The sender may be a function that is called with the
// message; the receiver may send on, or call a function that is in the message. A list that one
// goroutine appends to and another one takes elements out of is a channel, too.
//
// What follows a receive is an act at a distance if it depends on the message, by data or by
// control: then it is known to be made for the message. These are may-dependences; that a send
// is received at all is assumed. A receiver that tests a constant field of the message, or its
// type, acts for the messages that pass. A channel that is a parameter is followed to the only call
// of the function. One that is an element of a container is not followed, nor is one that code of
// another package receives from: a replicated log behind an interface has no known receiver.
//
// The files: channel (which channels are the same), send and reception (the two ends), queue,
// parameter and returned (further forms of them), crossing (paths of the receiver in the terms of
// the sender), kind (which messages an act is made for), start (goroutines, and functions in
// messages), act, await.
package handoff

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// Handoffs finds the acts at a distance of the functions of a package.
type Handoffs struct {
	p         *funcsum.Summaries
	receivers map[origin][]*reception
	sends     *sends
	acts      map[*funcsum.Body][]Act
}

// New returns the Handoffs of a package.
func New(p *funcsum.Summaries) *Handoffs {
	h := &Handoffs{
		p:         p,
		receivers: make(map[origin][]*reception),
		sends:     &sends{p, make(map[*funcsum.Body][]*send)},
		acts:      make(map[*funcsum.Body][]Act),
	}
	for _, r := range received(p) {
		h.receivers[r.from] = append(h.receivers[r.from], r)
	}
	return h
}

// Of returns the acts that f causes. In a cycle of messages an act is found once.
func (h *Handoffs) Of(f *funcsum.Body) []Act {
	if list, known := h.acts[f]; known || f.Flow == nil {
		return list
	}
	h.acts[f] = nil
	out := started(h.p, f)
	for _, s := range h.sends.of(f) {
		for _, r := range h.receivers[s.to] {
			if len(out) < limit.Handoffs {
				out = append(out, h.actsOf(f, s, r)...)
			}
		}
	}
	if len(out) >= limit.Handoffs {
		h.p.Limits.Add(callgraph.Name(f.Fn), "Handoffs")
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
		for _, s := range h.sends.of(f) {
			if s.calls == 0 && s.to == a.to {
				out = append(out, Sender{f, s.instr})
			}
		}
	}
	return out
}

// actsOf returns the acts that r makes because of s.
func (h *Handoffs) actsOf(f *funcsum.Body, s *send, r *reception) []Act {
	x := newCrossing(h.p, f, s, r)
	if x.apart {
		return nil
	}
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
		if a, ok := complete(f, e, w); ok {
			a.By, a.Access, a.Sent, a.Await = by, access, true, s.await
			a.Receiver, a.to, a.Listed = r.in, s.to, s.listed
			a.Compared = compared || r.compares(w) || isExtreme(by, access)
			out = append(out, a)
		}
	}
	out = append(out, carriedOut(h.p, f, s, r, x)...)
	for _, w := range r.in.Events {
		visit(w, r.in, w, false)
	}
	for _, next := range h.Of(r.in) {
		visit(next.Event, next.By, next.Access, next.Compared)
	}
	return out
}
