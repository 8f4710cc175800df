package funcsum

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A context in a field, with its cancel function in a field of the same struct, is an
// atomic flag of the object, that is set once: Err and a poll of Done read it, and the cancel function writes
// it.
//
//	s.ctx, s.cancel = context.WithCancel(parent)
//	s.cancel()              // s.ctx.done = true
//	if s.ctx.Err() != nil   // s.ctx.done
//	select {
//	case <-s.ctx.Done():    // the same
//	default:
//	}
//
// Which cancel function belongs to which context is told by the stores of the package, if both results of one call are stored in
// fields of one object. A struct of another package, with several contexts or cancel functions, does not say it.

// cancellation adds the access of a call of Err, or of a cancel function, to the flag of a
// context.
func (c *collector) cancellation(instr ssa.CallInstruction) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	if isErr(&call.Call) {
		ref := c.f.Res.Resolve(call.Call.Value)
		c.flagOf(ref, callgraph.Canceled, &Event{Op: fact.Read | fact.Presence, Values: []ssa.Value{call}})
	} else if ref, ok := c.f.contextEnded(&call.Call); ok {
		c.flagOf(ref, callgraph.Canceled, &Event{Op: fact.Write | fact.Fixed, Const: "true"})
	}
}

// EndedBy returns the flag of the context that a call ends: the call of a cancel function in a field. That of a context which is
// in no field is a part of the cancel function.
func EndedBy(f *Body, c *ssa.CallCommon) (accesspath.Ref, bool) {
	ref, ok := f.contextEnded(c)
	if !ok {
		addr := fieldCalled(c)
		if addr == nil {
			return accesspath.Ref{}, false
		}
		if _, known := f.in.ContextOf(accesspath.LocationOf(addr)); !known {
			return accesspath.Ref{}, false
		}
		ref = f.Res.Resolve(addr)
	}
	return flag(ref, callgraph.Canceled), ref.Loc != "" && ref.Key == ""
}

// fieldCalled returns the address of the field whose function value is called, nil for other calls.
func fieldCalled(c *ssa.CallCommon) *ssa.FieldAddr {
	load, ok := c.Value.(*ssa.UnOp)
	if !ok || c.IsInvoke() {
		return nil
	}
	addr, _ := load.X.(*ssa.FieldAddr)
	return addr
}

// contextEnded returns the field with the context that a call of a cancel function in a field ends.
func (f *Body) contextEnded(c *ssa.CallCommon) (accesspath.Ref, bool) {
	addr := fieldCalled(c)
	if addr == nil {
		return accesspath.Ref{}, false
	}
	if name, ok := f.in.ContextOf(accesspath.LocationOf(addr)); ok {
		return accesspath.FieldRef(f.Res.Resolve(addr.X), ssautil.Deref(addr.X.Type()), name), name != ""
	}
	if !isOfContext(c.Value.Type(), "CancelFunc") {
		return accesspath.Ref{}, false
	}
	return f.contextBeside(addr)
}

// flagOf adds the access e to a flag of the context or channel at ref.
func (c *collector) flagOf(ref accesspath.Ref, name string, e *Event) {
	if ref.Loc == "" || ref.Loc.IsParam() || ref.Key != "" {
		return
	}
	e.Ref = flag(ref, name)
	e.Holds = []Hold{{Guard: lockset.Atomic(e.Path, e.Loc), Sites: []int{c.ord}, Inner: true, Region: c.next()}}
	c.add(e)
}

// DoneOf returns the flag of the context whose channel a call returns, ctx.Done().
func DoneOf(f *Body, c *ssa.CallCommon) (accesspath.Ref, bool) {
	if !isMethodOfContext(c, "Done") {
		return accesspath.Ref{}, false
	}
	ref := f.Res.Resolve(c.Value)
	if ref.Loc == "" || ref.Loc.Type() == "" || ref.Key != "" {
		return accesspath.Ref{}, false
	}
	return flag(ref, callgraph.Canceled), true
}

// flag returns the flag with a name of the context or channel at ref.
func flag(ref accesspath.Ref, name string) accesspath.Ref {
	return accesspath.Ref{Path: ref.Path.Field(name), Base: ref.Path, Loc: ref.Loc.Flag(name)}
}

// contextBeside returns the one context of the struct with the cancel function at addr.
func (f *Body) contextBeside(addr *ssa.FieldAddr) (accesspath.Ref, bool) {
	t := ssautil.Deref(addr.X.Type())
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return accesspath.Ref{}, false
	}
	contexts, cancels, name := 0, 0, ""
	for field := range st.Fields() {
		switch {
		case isOfContext(field.Type(), "Context"):
			contexts, name = contexts+1, field.Name()
		case isOfContext(field.Type(), "CancelFunc"):
			cancels++
		}
	}
	if contexts != 1 || cancels != 1 {
		return accesspath.Ref{}, false
	}
	return accesspath.FieldRef(f.Res.Resolve(addr.X), t, name), true
}

// isErr reports whether a call is that of the method Err of a context.
func isErr(c *ssa.CallCommon) bool { return isMethodOfContext(c, "Err") }

func isMethodOfContext(c *ssa.CallCommon, name string) bool {
	return c.IsInvoke() && c.Method.Name() == name && isOfContext(c.Value.Type(), "Context")
}

// AsksContext reports whether an access is a call of Err.
func (e *Event) AsksContext() bool {
	call, ok := e.Instr.(*ssa.Call)
	return ok && isErr(&call.Call)
}

// TakesContext reports whether an access is made in a callee that is given a context.
func (e *Event) TakesContext() bool {
	call, ok := e.Instr.(ssa.CallInstruction)
	return ok && e.Callee != nil && slices.ContainsFunc(call.Common().Args, func(v ssa.Value) bool { return isOfContext(v.Type(), "Context") })
}

// isOfContext reports whether t is the named type of package context.
func isOfContext(t types.Type, name string) bool {
	return ssautil.IsNamed(t, "context", name)
}
