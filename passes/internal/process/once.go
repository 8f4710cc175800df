package process

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A method that begins with closing a channel of its object, now or when it returns, runs at most once per object if only the construction of the
// object makes the channel: a second run would panic, so that callers keep to one.
//
//	func (r *Runner) Run() {
//		defer close(r.waitCh) // made by NewRunner, and by nobody else
//		…
//	}
//
// It proves nothing if the panic is recovered from, by the method or by the server that calls it.

// endsObject reports whether f is such a method.
func (p *Processes) endsObject(f *Func) bool {
	if f.Fn.Signature.Recv() == nil || len(f.Fn.Blocks) == 0 || ssautil.Recovers(f.Fn) || isHandler(f.Fn.Signature) {
		return false
	}
	return slices.ContainsFunc(f.Fn.Blocks[0].Instrs, func(instr ssa.Instruction) bool {
		c, ok := instr.(ssa.CallInstruction)
		if !ok {
			return false
		}
		d, deferred := instr.(*ssa.Defer)
		return p.closesOwn(f, c.Common(), accesspath.Param(0)) || deferred && p.closesIn(f, d)
	})
}

// isHandler reports whether functions of a signature are called by package net/http, which recovers from their panics.
func isHandler(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && ssautil.IsNamed(sig.Params().At(0).Type(), "net/http", "ResponseWriter")
}

// closesIn reports whether a deferred literal of f begins with closing the channel.
//
//	defer func() { close(r.waitCh) }()
func (p *Processes) closesIn(f *Func, d *ssa.Defer) bool {
	n := p.Called(d.Call.StaticCallee())
	if n == nil || n.Fn.Parent() != f.Fn || ssautil.Recovers(n.Fn) {
		return false
	}
	literal := p.Of(n)
	return slices.ContainsFunc(p.captured(literal), func(o operand) bool {
		return f.Resolver().Resolve(o.value).Path == accesspath.Param(0) && slices.ContainsFunc(n.Fn.Blocks[0].Instrs, func(instr ssa.Instruction) bool {
			c, ok := instr.(*ssa.Call)
			return ok && p.closesOwn(literal, &c.Call, o.as)
		})
	})
}

// closesOwn reports whether a call in f closes a channel that is a field of the object at base, and is only made when that is constructed.
func (p *Processes) closesOwn(f *Func, c *ssa.CallCommon, base accesspath.Path) bool {
	if ssautil.Builtin(c) != "close" {
		return false
	}
	load, ok := c.Args[0].(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	if !ok || p.Mutable(field) || p.Overwritten(field.X.Type()) {
		return false
	}
	v := ssautil.Field(field.X.Type(), field.Field)
	return v != nil && (!v.Exported() || p.Pkg.Name() == "main") && f.Resolver().Resolve(field.X).Path == base
}
