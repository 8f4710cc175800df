package funcsum

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
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
// A struct with several contexts or cancel functions does not say which belong together.

// canceled is the name of the flag, as a part of the context.
const canceled = "done"

// cancellation adds the access of a call of Err, or of a cancel function, to the flag of a
// context.
func (c *collector) cancellation(instr ssa.CallInstruction) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	common := &call.Call
	switch {
	case isErr(common):
		ref := c.f.Res.Resolve(common.Value)
		c.flagOf(ref, canceled, &Event{Op: fact.Read | fact.Presence, Values: []ssa.Value{call}})
	case !common.IsInvoke() && isOfContext(common.Value.Type(), "CancelFunc"):
		load, ok := common.Value.(*ssa.UnOp)
		if !ok {
			return
		}
		if addr, ok := load.X.(*ssa.FieldAddr); ok {
			if ref, ok := c.contextOf(addr); ok {
				c.flagOf(ref, canceled, &Event{Op: fact.Write | fact.Fixed, Const: "true"})
			}
		}
	}
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
	return flag(ref, canceled), true
}

// flag returns the flag with a name of the context or channel at ref.
func flag(ref accesspath.Ref, name string) accesspath.Ref {
	return accesspath.Ref{Path: ref.Path.Field(name), Base: ref.Path, Loc: ref.Loc.Flag(name)}
}

// contextOf returns the one context of the struct with the cancel function at addr.
func (c *collector) contextOf(addr *ssa.FieldAddr) (accesspath.Ref, bool) {
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
	return accesspath.FieldRef(c.f.Res.Resolve(addr.X), t, name), true
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
