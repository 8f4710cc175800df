package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// discardsOther: an operation on the object that was read has failed, and what is removed is the object that is there
// in a later section.
//
//	conn := s.conn()              // under s.mu
//	if err := conn.Send(m); err != nil {
//		s.reset()                 // s.mu.Lock(); s.cur.Close(); s.cur = nil; s.mu.Unlock()
//	}
//
// Of two goroutines both fail on one connection, the first one removes it, a third one makes another, and the second
// one removes that. The act asks at most whether there is an object, which says nothing of which it is. An act that is given
// the object, or what was read with it, such as a generation, can compare; and one that sets a flag for good ends the use of
// the place.
func (p *pair) discardsOther() bool {
	r, w := p.read, p.act
	if r.Writes() || r.Op&summary.Presence != 0 || !w.Empties() && w.Op&summary.Delete == 0 || (r.Key == "") != (w.Key == "") ||
		!slices.ContainsFunc(r.Values, func(v ssa.Value) bool { return ssautil.IsReference(v.Type()) && !depgraph.IsContainer(v.Type()) }) {
		return false
	}
	return p.hasFailed() && !p.canCompare() && !p.endsUse() && !p.claimsObject()
}

// hasFailed reports whether the act is only made if a call has failed that has the object as its receiver or an argument.
func (p *pair) hasFailed() bool {
	for f := range branch.At(p.act.Instr.Block()) {
		if !f.NonNil() || !ssautil.IsError(f.Subject.Type()) {
			continue
		}
		if call, _ := ssautil.CallOf(f.Subject); call != nil && call != p.read.Instr && p.isOperand(call) {
			return true
		}
	}
	return false
}

// isOperand reports whether the object that was read is the receiver or an argument of a call.
func (p *pair) isOperand(call *ssa.Call) bool {
	return slices.ContainsFunc(call.Operands(nil), func(v *ssa.Value) bool {
		return *v != nil && ssautil.IsReference((*v).Type()) && slices.Contains(p.read.Values, *v)
	})
}

// canCompare reports whether the act is decided by a comparison with what was read, or is a call with an argument that
// depends on what was read in the section of the read.
func (p *pair) canCompare() bool {
	var known []ssa.Value
	for _, e := range p.d.f.Events {
		if e == p.read || e.Reads() && (e.Ord == p.read.Ord || summary.SharePassage(e, p.read)) {
			known = append(known, e.Values...)
		}
	}
	call, ok := p.act.Instr.(*ssa.Call)
	if p.act.Callee != nil && ok {
		if slices.ContainsFunc(call.Call.Args, func(a ssa.Value) bool { return p.d.f.Slice(a).HasAny(known) }) {
			return true
		}
	}
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e != p.read && e.Reads() && accesspath.Same(e.Base, p.act.Base) && (e.Ord == p.act.Ord || p.d.oneSection(e, p.act)) &&
			slices.ContainsFunc(p.d.f.Branches(p.act), func(br *ssa.If) bool {
				slice := p.d.f.Slice(br.Cond)
				return slice.HasAny(e.Values) && slice.HasAny(known)
			})
	})
}

// endsUse reports whether the act also sets a flag of the same object that is never cleared.
func (p *pair) endsUse() bool {
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		if !e.Writes() || e.Const == "" || e.Empties() || !accesspath.Same(e.Base, p.act.Base) || e.Ord != p.act.Ord && !p.d.oneSection(e, p.act) {
			return false
		}
		info := p.d.pkg.Location(e.Loc)
		return !info.Constant() && info.Latch == e.Const
	})
}

// claimsObject reports whether the critical section of the read also writes the object, which claims it: the goroutine that has
// made the claim is the only one to act on the object.
func (p *pair) claimsObject() bool {
	object := ownPath(p.read)
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && (e.Ord == p.read.Ord || summary.SharePassage(e, p.read)) && e.Base.Within(object)
	})
}

// putsAnother: the rival stores another object.
func (r rival) putsAnother() bool {
	return r.writer.Const == "" && r.writer.Effect != summary.Removes
}
