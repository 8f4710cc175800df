package process

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
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
	for _, instr := range f.Fn.Blocks[0].Instrs {
		c, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if p.closesOwn(f, c.Common(), func(path accesspath.Path) accesspath.Path { return path }) {
			return true
		}
		if d, ok := instr.(*ssa.Defer); ok && p.closesIn(f, d) {
			return true
		}
	}
	return false
}

// isHandler reports whether functions of a signature are called by package net/http, which recovers from their panics.
func isHandler(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && ssautil.IsNamed(sig.Params().At(0).Type(), "net/http", "ResponseWriter")
}

// closesIn reports whether a deferred literal of f closes the channel.
//
//	defer func() { close(r.waitCh) }()
func (p *Processes) closesIn(f *Func, d *ssa.Defer) bool {
	mc, ok := d.Call.Value.(*ssa.MakeClosure)
	if !ok || p.ByFn[mc.Fn.(*ssa.Function)] == nil {
		return false
	}
	literal := p.Of(p.ByFn[mc.Fn.(*ssa.Function)])
	if ssautil.Recovers(literal.Fn) {
		return false
	}
	outer := func(path accesspath.Path) accesspath.Path {
		for i, bound := range mc.Bindings {
			if free := accesspath.Free(i); path.Within(free) {
				return f.Resolver().Resolve(bound).Path + path[len(free):]
			}
		}
		return accesspath.Unknown
	}
	return slices.ContainsFunc(literal.Fn.Blocks[0].Instrs, func(instr ssa.Instruction) bool {
		c, ok := instr.(*ssa.Call)
		return ok && p.closesOwn(literal, &c.Call, outer)
	})
}

// closesOwn reports whether a call in f closes a channel that is a field of the receiver, and is only made when that is constructed. outer rewrites
// paths of f as paths of the method.
func (p *Processes) closesOwn(f *Func, c *ssa.CallCommon, outer func(accesspath.Path) accesspath.Path) bool {
	if ssautil.Builtin(c) != "close" {
		return false
	}
	load, ok := c.Args[0].(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	if !ok || p.Mutable(field) || p.isReplaced(field.X.Type()) {
		return false
	}
	v := ssautil.Field(field.X.Type(), field.Field)
	return v != nil && (!v.Exported() || p.Pkg.Name() == "main") && outer(f.Resolver().Resolve(field.X).Path) == accesspath.Param(0)
}

// isReplaced reports whether a function of the package stores a whole struct of the type of an object in another place than a variable of its own.
func (p *Processes) isReplaced(t types.Type) bool {
	of := ssautil.Named(t)
	return of == nil || slices.ContainsFunc(p.Funcs, func(f *Func) bool {
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				st, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				n, isNamed := types.Unalias(st.Val.Type()).(*types.Named)
				if isNamed && n.Origin() == of.Origin() && !depgraph.IsVariable(st.Addr) {
					return true
				}
			}
		}
		return false
	})
}
