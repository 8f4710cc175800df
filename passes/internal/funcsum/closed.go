package funcsum

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A channel that nothing is sent to is an atomic flag, that is set once: close writes it, and a
// receive in a select statement with a default case reads it.
//
//	select {
//	case <-s.done: // s.done.closed
//	default:
//		close(s.done) // s.done.closed = true
//	}
//
// To close it twice is a panic, so that it is not set to the same value again. The channel is in a
// field, in a package variable, or in a local variable that goroutines share.

// closed is the name of the flag, as a part of the channel.
const closed = "closed"

// IsSignalFlag reports whether a location is the flag that a channel or context stands for.
func IsSignalFlag(loc accesspath.Location) bool { return loc.IsFlag() }

// closes adds the write of the flag of a channel that is closed.
func (c *collector) closes(ch ssa.Value) {
	if ref, ok := c.signal(ch); ok {
		c.flagOf(ref, closed, &Event{Op: fact.Write})
	}
}

// polls adds the reads of the flags of channels by a select statement that does not wait.
func (c *collector) polls(s *ssa.Select) {
	if s.Blocking {
		return
	}
	for _, st := range s.States {
		if st.Dir != types.RecvOnly {
			continue
		}
		read := &Event{Op: fact.Read | fact.Presence, Values: selected(s)}
		if call, ok := st.Chan.(*ssa.Call); ok && isMethodOfContext(&call.Call, "Done") {
			c.flagOf(c.f.Res.Resolve(call.Call.Value), canceled, read)
		} else if ref, ok := c.signal(st.Chan); ok {
			c.flagOf(ref, closed, read)
		}
	}
}

// Awaits reports whether an instruction of f waits for the flag that e reads, alone or in a select statement.
//
//	select {
//	case r := <-reply:
//	case <-s.done:
//	}
func (f *Body) Awaits(instr ssa.Instruction, e *Event) bool {
	switch instr := instr.(type) {
	case *ssa.Select:
		return f.CaseOf(instr, e) >= 0
	case *ssa.UnOp:
		return instr.Op == token.ARROW && f.isFlagOf(instr.X, e)
	}
	return false
}

// CaseOf returns the index of the case of a select statement that receives from the channel whose
// flag e reads, or -1.
func (f *Body) CaseOf(s *ssa.Select, e *Event) int {
	return slices.IndexFunc(s.States, func(st *ssa.SelectState) bool {
		return st.Dir == types.RecvOnly && f.isFlagOf(st.Chan, e)
	})
}

// isFlagOf reports whether e is an access to the flag of the channel ch.
func (f *Body) isFlagOf(ch ssa.Value, e *Event) bool {
	var at accesspath.Ref
	switch ch := ch.(type) {
	case *ssa.Call:
		at, _ = DoneOf(f, &ch.Call)
	case *ssa.UnOp:
		at = flag(f.Res.Resolve(ch.X), closed)
	}
	return at.Loc == e.Loc && accesspath.Same(at.Base, e.Base)
}

// selected returns the values that tell which case of a select statement was taken.
func selected(s *ssa.Select) []ssa.Value {
	var out []ssa.Value
	for _, use := range *s.Referrers() {
		if e, ok := use.(*ssa.Extract); ok && e.Index == 0 {
			out = append(out, e)
		}
	}
	return out
}

// signal resolves the variable with a channel that is only closed.
func (c *collector) signal(ch ssa.Value) (accesspath.Ref, bool) {
	l, ok := ch.(*ssa.UnOp)
	if !ok || l.Op != token.MUL {
		return accesspath.Ref{}, false
	}
	if v := ssautil.VariableAt(l.X); v != nil {
		of := c.p.variable(v)
		if of == "" || !isOwnSignal(v) {
			return accesspath.Ref{}, false
		}
		c.p.variables[of.Flag(closed)] = v // the flag is shared by those who share the channel
		return c.f.Res.Resolve(l.X), true
	}
	uses := c.p.Tokens[callgraph.ChanLocation(ch)]
	return c.f.Res.Resolve(l.X), uses.IsSignal() && !callgraph.OwnsChannel(l.X)
}

// isOwnSignal reports whether a local variable always has one channel, which is received from and
// closed, and which nobody else can send to.
//
//	quit := make(chan struct{})
//	for range workers {
//		go func() {
//			select {
//			case <-quit:
//			default:
//				close(quit)
//			}
//		}()
//	}
func isOwnSignal(v *ssa.Alloc) bool {
	if _, isChan := ssautil.Deref(v.Type()).Underlying().(*types.Chan); !isChan || accesspath.IsReassigned(v) {
		return false
	}
	received := false
	for _, l := range loadsOf(v) {
		for _, use := range ssautil.Uses(l) {
			switch use := use.(type) {
			case *ssa.DebugRef:
			case *ssa.UnOp:
				received = true
			case *ssa.Select:
				if slices.ContainsFunc(use.States, func(st *ssa.SelectState) bool { return st.Chan == l && st.Dir != types.RecvOnly }) {
					return false
				}
				received = true
			case ssa.CallInstruction:
				if !isClose(use.Common()) {
					return false
				}
			case *ssa.ChangeType:
				if t, ok := use.Type().Underlying().(*types.Chan); !ok || t.Dir() != types.RecvOnly {
					return false
				}
			default:
				return false
			}
		}
	}
	return received
}

// loadsOf returns the loads of the variable at addr, those in literals included.
func loadsOf(addr ssa.Value) []*ssa.UnOp {
	var out []*ssa.UnOp
	for _, use := range *addr.Referrers() {
		if l, ok := use.(*ssa.UnOp); ok && l.Op == token.MUL {
			out = append(out, l)
		}
	}
	for _, mc := range closuresOf(addr) {
		fn := mc.Fn.(*ssa.Function)
		for i, b := range mc.Bindings {
			if b == addr && i < len(fn.FreeVars) {
				out = append(out, loadsOf(fn.FreeVars[i])...)
			}
		}
	}
	return out
}

// isClose reports whether a call closes a channel.
func isClose(c *ssa.CallCommon) bool {
	b, ok := c.Value.(*ssa.Builtin)
	return ok && b.Name() == "close"
}
