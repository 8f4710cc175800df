package funcsum

import (
	"go/token"
	"go/types"

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
			c.flagOf(c.f.Res.Resolve(call.Call.Value), callgraph.Canceled, read)
		} else if ref, ok := c.signal(st.Chan); ok {
			c.flagOf(ref, closed, read)
		}
	}
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
