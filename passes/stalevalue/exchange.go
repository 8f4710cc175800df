package stalevalue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// exchangesLate: what is in a place is read, and something else is put there in a later section. What was read is then taken
// for what has been replaced: it is closed, or taken off an account.
//
//	prev, ok := c.blobs.Load(name)
//	c.blobs.Store(name, b) // not prev, ok := c.blobs.Swap(name, b)
//	if ok { c.used.Add(-prev.cost) }
//
// Of two goroutines both end the same one, and what the first of them has put there is never ended. So it is if the end comes
// before the other one is put there.
//
//	s.mu.Lock(); old := s.revoked; s.mu.Unlock()
//	if old != nil { close(old) }
//	s.mu.Lock(); s.revoked = make(chan struct{}); s.mu.Unlock()
func (p *pair) exchangesLate() bool {
	r, w := p.read, p.act
	if r.Writes() || w.Reads() || p.data || p.decides || w.Delta() || w.Const != "" || w.Op&(summary.Delete|summary.Content) != 0 || r.Op&summary.Presence != 0 ||
		r.Key.HasAny() || !sameElement(r, w) || w.Effect() == summary.Raises || !slices.ContainsFunc(r.Values, isObject) {
		return false
	}
	return p.d.f.Order().Flows(r.Instr, w.Instr) && (p.isTakenOff() || p.endsRead())
}

// isObject reports whether a value refers to something that has an end, or parts of its own: an object or a function.
func isObject(v ssa.Value) bool {
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Signature, *types.Chan:
		return true
	}
	return false
}

// isLater reports whether control comes from the act to an instruction, without going round a loop.
func (p *pair) isLater(at ssa.Instruction) bool {
	return p.d.f.Order().Exists(summary.Way{From: p.act.Instr, To: at, Forward: true})
}

// isTakenOff reports whether some number changes after the act by an amount that is a field of the object that was read.
func (p *pair) isTakenOff() bool {
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Delta() && e.Loc != p.act.Loc && p.isLater(e.Instr) && slices.ContainsFunc(amountsOf(e), p.isPart)
	})
}

// amountsOf returns the values by which a number may be changed: those that are added to it, or the arguments of the callee
// that adds them.
func amountsOf(e *summary.Event) []ssa.Value {
	if call, ok := e.Instr.(ssa.CallInstruction); ok && e.Callee != nil {
		return call.Common().Args
	}
	return e.Inputs
}

// isPart reports whether a number is computed from a field of the object that was read.
func (p *pair) isPart(v ssa.Value) bool {
	return ssautil.IsNumber(v.Type()) && slices.ContainsFunc(p.d.f.Slice(v), func(part ssa.Value) bool {
		load, ok := part.(*ssa.UnOp)
		if !ok {
			return false
		}
		field, ok := load.X.(*ssa.FieldAddr)
		return ok && p.d.f.Slice(field.X).HasAny(p.read.Values)
	})
}

// endsRead reports whether what was read is closed, or called if it is a function, such as that which cancels a
// context: after the act, or before it.
func (p *pair) endsRead() bool {
	for _, b := range p.d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if ok && instr != p.act.Instr && slices.Contains(p.read.Values, ended(call.Common())) && (p.isLater(instr) || p.isBefore(call)) {
				return true
			}
		}
	}
	return false
}

// isBefore reports whether control comes from a call to the act, without going round a loop, and the call can only be the end of
// what was read: a close, or the function that cancels a context. Another function may be called for something else.
func (p *pair) isBefore(call ssa.CallInstruction) bool {
	if _, isDefer := call.(*ssa.Defer); isDefer {
		return false
	}
	c := call.Common()
	closes := c.IsInvoke() || ssautil.Target(c) != nil || ssautil.Builtin(c) != ""
	return (closes || ssautil.IsNamed(c.Value.Type(), "context", "CancelFunc")) && p.d.f.Order().Exists(summary.Way{From: call, To: p.act.Instr, Forward: true})
}

// ended returns the object that a call closes, or the function value that it calls, or nil.
func ended(call *ssa.CallCommon) ssa.Value {
	fn := ssautil.Target(call)
	switch {
	case ssautil.Builtin(call) == "close":
		return call.Args[0]
	case fn == nil && (!call.IsInvoke() || call.Method.Name() == "Close"):
		return call.Value
	case fn != nil && fn.Name() == "Close" && len(call.Args) > 0:
		return call.Args[0]
	}
	return nil
}
