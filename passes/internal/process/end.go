package process

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// The end of a goroutine is signaled by its group, or by a channel that it closes: in a deferred
// call, or when it accesses no shared memory any more.
//
//	go func() {
//		defer close(s.done)
//		s.loop()
//	}()
//	…
//	<-s.done // the loop is over
//
// A signal is named by the field that has the channel or group, or by the local variable.

// ofVariable begins the name of a signal that is a local variable.
const ofVariable = "local "

// endsOf returns the signals of the end of the goroutine that a site starts.
func (p *Processes) endsOf(s site, depth int) []accesspath.Location {
	var out []accesspath.Location
	if s.call.Instr == nil {
		return nil
	}
	if group := p.groupOf(s); group != "" {
		out = append(out, group)
	}
	if !funcsum.StartsAtOnce(s.call.Instr) {
		return out
	}
	f := p.bodyOf(p.Funcs[s.call.Callee])
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			c, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if ssautil.Builtin(c.Common()) != "close" || !isLast(f, c) {
				continue
			}
			out = append(out, p.signals(f, c.Common().Args[0])...)
		}
	}
	if depth > 0 {
		out = append(out, p.endsWith(s, depth-1)...)
	}
	return out
}

// endsWith returns the signals of the goroutine that starts the one of a site, if it waits for that
// whenever it ends.
func (p *Processes) endsWith(s site, depth int) []accesspath.Location {
	f, group := s.caller, p.groupOf(s)
	if group == "" || !slices.ContainsFunc(p.waitsOf(f, 1), func(w wait) bool { return w.group == group && alwaysBefore(f, w.at) }) {
		return nil
	}
	starts := p.sitesOf[f.ID]
	if len(starts) != 1 || starts[0].call.Kind != fact.Spawned || starts[0].caller == f {
		return nil
	}
	return p.endsOf(starts[0], depth)
}

// alwaysBefore reports whether all returns of f come after an instruction.
func alwaysBefore(f *Func, at ssa.Instruction) bool {
	return !slices.ContainsFunc(ssautil.Returns(f.Fn), func(r *ssa.Return) bool { return !ssautil.Precedes(at, r) })
}

// isLast reports whether f accesses no shared memory after a call, whenever it returns.
func isLast(f *Func, c ssa.CallInstruction) bool {
	if _, deferred := c.(*ssa.Defer); deferred {
		return true
	}
	return !slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool {
		_, deferred := e.Instr.(*ssa.Defer)
		return e.Instr != c && (deferred || f.Order().Flows(c, e.Instr))
	})
}

// signals returns the names of the channel v of f: that of the variable, and those of the fields
// that it is stored in by the function that makes it.
func (p *Processes) signals(f *Func, v ssa.Value) []accesspath.Location {
	var out []accesspath.Location
	if end := p.signal(f, v); end != "" {
		out = append(out, end)
	}
	made, ok := origin(v).(*ssa.Alloc)
	values := []ssa.Value{origin(v)}
	if ok {
		for _, use := range ssautil.Uses(made) {
			switch use := use.(type) {
			case *ssa.Store:
				values = append(values, use.Val)
			case *ssa.UnOp:
				values = append(values, use)
			}
		}
	}
	for _, v := range values {
		for _, use := range ssautil.Uses(v) {
			if st, ok := use.(*ssa.Store); ok && st.Val == v {
				if loc := accesspath.LocationOf(st.Addr); loc != "" && !slices.Contains(out, loc) {
					out = append(out, loc)
				}
			}
		}
	}
	return out
}

// signal returns the name of the group or channel v of f, "" if it has none.
func (p *Processes) signal(f *Func, v ssa.Value) accesspath.Location {
	if loc := callgraph.ChanLocation(v); loc != "" {
		return loc
	}
	if loc := f.Resolver().Resolve(v).Loc; loc != "" {
		return loc
	}
	switch made := origin(v).(type) {
	case *ssa.Alloc, *ssa.MakeChan:
		at := made.(ssa.Instruction)
		return accesspath.Location(ofVariable + strings.Join([]string{at.Parent().String(), strconv.Itoa(ssautil.Ordinal(at))}, " "))
	}
	return ""
}

// origin returns the variable or channel that v is, or is loaded from, in the function that
// declares it.
func origin(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.FreeVar:
			bound := depgraph.Binding(x)
			if bound == nil {
				return v
			}
			v = bound
		case *ssa.ChangeType:
			v = x.X
		default:
			return v
		}
	}
}
