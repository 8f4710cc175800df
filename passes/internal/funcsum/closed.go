package funcsum

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
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
// To close it twice is a panic, so that it is not set to the same value again.

// closed is the name of the flag, as a part of the channel.
const closed = "closed"

// IsSignalFlag reports whether a location is the flag that the channel or context in a field
// stands for, as Type.field.closed. A field with that name is Type.closed.
func IsSignalFlag(loc accesspath.Location) bool {
	name := loc.Name()
	return strings.Count(name, ".") > 1 && (strings.HasSuffix(name, "."+closed) || strings.HasSuffix(name, "."+canceled))
}

// closes adds the write of the flag of a channel that is closed.
func (c *collector) closes(ch ssa.Value) {
	if ref, ok := c.signal(ch); ok {
		c.flagOf(ref, closed, &Event{Op: fact.Write})
	}
}

// polls adds the reads of the flags of channels by a select statement that does not wait.
func (c *collector) polls(s *ssa.Select) {
	if s.Blocking || len(s.States) != 1 || s.States[0].Dir != types.RecvOnly {
		return
	}
	if call, ok := s.States[0].Chan.(*ssa.Call); ok && isMethodOfContext(&call.Call, "Done") {
		c.flagOf(c.f.Res.Resolve(call.Call.Value), canceled, &Event{Op: fact.Read | fact.Presence, Values: selected(s)})
		return
	}
	if ref, ok := c.signal(s.States[0].Chan); ok {
		c.flagOf(ref, closed, &Event{Op: fact.Read | fact.Presence, Values: selected(s)})
	}
}

// Awaits reports whether an instruction of f waits for the flag that e reads, alone or in a select statement.
//
//	select {
//	case r := <-reply:
//	case <-s.done:
//	}
func (f *Body) Awaits(instr ssa.Instruction, e *Event) bool {
	var channels []ssa.Value
	switch instr := instr.(type) {
	case *ssa.Select:
		for _, st := range instr.States {
			if st.Dir == types.RecvOnly {
				channels = append(channels, st.Chan)
			}
		}
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			channels = append(channels, instr.X)
		}
	}
	return slices.ContainsFunc(channels, func(ch ssa.Value) bool {
		var at accesspath.Ref
		switch ch := ch.(type) {
		case *ssa.Call:
			at, _ = DoneOf(f, &ch.Call)
		case *ssa.UnOp:
			at = flag(f.Res.Resolve(ch.X), closed)
		}
		return at.Loc == e.Loc && accesspath.Same(at.Base, e.Base)
	})
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
	uses := c.p.Tokens[callgraph.ChanLocation(ch)]
	if !ok || l.Op != token.MUL || !uses.IsSignal() || callgraph.OwnsChannel(l.X) {
		return accesspath.Ref{}, false
	}
	return c.f.Res.Resolve(l.X), true
}
