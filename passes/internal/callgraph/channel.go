package callgraph

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A channel or context that a function is given, or a literal captures, is that of a field if all who pass one pass this:
//
//	ctx, cancel := context.WithCancel(parent)
//	s.cancel = cancel
//	go s.run(ctx, s.stop)
//
//	func (s *Server) run(ctx context.Context, stop <-chan struct{}) // ends with s.cancel(), or close(s.stop)

// ChannelOf returns the location that contains the channel which v is, "" if it is not known. The channel of a context belongs
// to the flag that its cancel function sets.
func (p *Graph) ChannelOf(v ssa.Value) accesspath.Location {
	return p.agreed(v, func(v ssa.Value) accesspath.Location {
		done, ok := v.(*ssa.Call)
		if ok && done.Call.IsInvoke() && done.Call.Method.Name() == "Done" && isContext(done.Call.Value.Type()) {
			return p.agreed(done.Call.Value, p.flagOfContext)
		}
		return ChanLocation(v)
	})
}

// flagOfContext returns the flag of the context that is in a field, or that a call makes whose cancel function is in one.
func (p *Graph) flagOfContext(v ssa.Value) accesspath.Location {
	if l, ok := v.(*ssa.UnOp); ok {
		if loc := accesspath.LocationOf(l.X); loc != "" {
			return loc.Flag(Canceled)
		}
	}
	if call, ok := resultOf(v, 0); ok {
		for to := range fieldsWith(call, 1) {
			if field := p.contexts[accesspath.LocationOf(to)]; field.loc != "" {
				return field.flag()
			}
		}
	}
	return ""
}

// agreed returns the location that all values have which v may be: what was stored in a variable, or passed for a parameter.
func (p *Graph) agreed(v ssa.Value, of func(ssa.Value) accesspath.Location) accesspath.Location {
	var agreed accesspath.Location
	list := []ssa.Value{v}
	for i := 0; i < len(list); i++ {
		before, more := list[i], p.passedFor(list[i])
		if len(more) == 0 {
			loc := of(before)
			if loc == "" || agreed != "" && loc != agreed {
				return ""
			}
			agreed = loc
		}
		for _, v := range more {
			if !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
		if len(list) > limit.PassedChannels {
			return ""
		}
	}
	return agreed
}

// passedFor returns the values of a variable, a conversion or a parameter.
func (p *Graph) passedFor(v ssa.Value) []ssa.Value {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return []ssa.Value{v.X}
	case *ssa.UnOp:
		if at := ssautil.VariableAt(v.X); at != nil {
			if st := ssautil.SoleStore(at); st != nil {
				return []ssa.Value{st.Val}
			}
		}
	case *ssa.Parameter:
		return p.handed[v]
	}
	return nil
}

// noteHanded records the channels and contexts that a call in f passes to a function that no other package calls.
func (p *scanner) noteHanded(f *Node, c Callee) {
	if f.Test || c.Fn.Exported() {
		return
	}
	for i, a := range c.Args {
		if i >= len(c.Fn.Fn.Params) {
			return
		}
		if _, isChan := a.Type().Underlying().(*types.Chan); isChan || isContext(a.Type()) {
			prm := c.Fn.Fn.Params[i]
			p.handed[prm] = append(p.handed[prm], a)
		}
	}
}

func isContext(t types.Type) bool { return ssautil.IsNamed(t, "context", "Context") }
