package handoff

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// An origin identifies a channel: by the location that contains it, or by the instruction that
// makes it.
type origin struct {
	loc  accesspath.Location
	made *ssa.MakeChan
}

// originOf returns the origin of a channel, the zero value if it is not known.
func originOf(ch ssa.Value) origin {
	for range limit.FuncValueSteps {
		switch v := unchanged(ch).(type) {
		case *ssa.MakeChan:
			return made(v)
		case *ssa.UnOp:
			if v.Op != token.MUL {
				return origin{}
			}
			if _, local := unchanged(v.X).(*ssa.Alloc); !local {
				return origin{loc: accesspath.LocationOf(v.X)}
			}
			ch = v.X
		case *ssa.Alloc:
			if ch = onlyValue(v); ch == nil {
				return origin{}
			}
		default:
			return origin{}
		}
	}
	return origin{}
}

// made returns the origin of a new channel, which may be put into a location.
func made(m *ssa.MakeChan) origin {
	for _, use := range *m.Referrers() {
		if st, ok := use.(*ssa.Store); ok && st.Val == m {
			if loc := accesspath.LocationOf(st.Addr); loc != "" {
				return origin{loc: loc}
			}
		}
	}
	return origin{made: m}
}

// onlyValue returns the only value that is stored into a local variable, or nil.
func onlyValue(v *ssa.Alloc) ssa.Value {
	var out ssa.Value
	for _, use := range *v.Referrers() {
		if st, ok := use.(*ssa.Store); ok && st.Addr == v {
			if out != nil {
				return nil
			}
			out = st.Val
		}
	}
	return out
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
