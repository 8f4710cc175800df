package process

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A method that closes a channel of its object in every run, where only the construction of the object makes the channel, runs at most once per
// object: a second run would panic. So whoever calls it keeps to that.
//
//	func (r *Runner) Run() {
//		defer close(r.waitCh) // made by NewRunner, and by nobody else
//		…
//	}

// endsObject reports whether f is such a method.
func (p *Processes) endsObject(f *Func) bool {
	if f.Fn.Signature.Recv() == nil {
		return false
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			c, ok := instr.(ssa.CallInstruction)
			if !ok || !inEveryRun(f, instr) {
				continue
			}
			if p.closesOwn(f, c.Common(), func(path accesspath.Path) accesspath.Path { return path }) {
				return true
			}
			if d, ok := instr.(*ssa.Defer); ok && p.closesIn(f, d) {
				return true
			}
		}
	}
	return false
}

// inEveryRun reports whether each run of f executes an instruction.
func inEveryRun(f *Func, instr ssa.Instruction) bool {
	return instr.Block() == f.Fn.Blocks[0] || len(ssautil.Returns(f.Fn)) > 0 && alwaysBefore(f, instr)
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
	outer := func(path accesspath.Path) accesspath.Path {
		for i, bound := range mc.Bindings {
			if free := accesspath.Free(i); path.Within(free) {
				return f.Resolver().Resolve(bound).Path + path[len(free):]
			}
		}
		return accesspath.Unknown
	}
	for _, b := range literal.Fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && inEveryRun(literal, c) && p.closesOwn(literal, &c.Call, outer) {
				return true
			}
		}
	}
	return false
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
	return ok && !p.Mutable(field) && outer(f.Resolver().Resolve(field.X).Path) == accesspath.Param(0)
}
