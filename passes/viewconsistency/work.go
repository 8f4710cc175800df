package viewconsistency

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/summary"
)

// worksBetween reports whether the function may do work that takes time between two accesses: it goes round a loop, takes another lock
// than that of the second access, calls what is not known, waits, or starts a goroutine.
func (d *detector) worksBetween(from, to *summary.Event) bool {
	order := d.f.Order()
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			works := d.isWork(instr, limit.NotifyDepth) || d.takesOther(instr, to) || instr == b.Instrs[0] && order.Flows(instr, instr) && !order.Flows(from.Instr, from.Instr)
			if works && instr != from.Instr && instr != to.Instr && order.Exists(summary.Way{From: from.Instr, To: instr, Forward: true}) &&
				order.Exists(summary.Way{From: instr, To: to.Instr, Forward: true}) {
				return true
			}
		}
	}
	return false
}

// takesOther reports whether an instruction takes a lock that is not held at an access.
func (d *detector) takesOther(instr ssa.Instruction, e *summary.Event) bool {
	return slices.ContainsFunc(d.f.Ops()[instr], func(op lockset.Op) bool { return op.Kind == lockset.Acquire && e.Hold(op.Guard.Path) == nil })
}

// isWork reports whether an instruction may do such work, itself or in a function that it calls, in at most the given number of calls.
func (d *detector) isWork(instr ssa.Instruction, calls int) bool {
	if funcsum.GivesTime(instr) {
		return true
	}
	switch instr := instr.(type) {
	case *ssa.Go, *ssa.Send, *ssa.Select:
		return true
	case *ssa.Call:
		if ssautil.Builtin(&instr.Call) != "" {
			return false
		}
		return d.isWorkOf(instr.Call.StaticCallee(), calls)
	}
	return false
}

// isWorkOf is isWork for a callee, which is nil if it is not known.
func (d *detector) isWorkOf(callee *ssa.Function, calls int) bool {
	if callee == nil || calls == 0 {
		return true
	}
	f := d.pkg.FuncOf(callee)
	if f == nil {
		// A library computes something, unless it only handles locks, the time or errors.
		obj := ssautil.Object(callee)
		return obj == nil || obj.Pkg() == nil || !stdlib.OfPackage(obj.Pkg().Path()).Listed && !stdlib.OfFunc(obj).Clock && !returnsError(callee)
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if d.isWork(instr, calls-1) {
				return true
			}
		}
	}
	return false
}

// returnsError reports whether the only result of a function is an error: errors.New, fmt.Errorf.
func returnsError(fn *ssa.Function) bool {
	res := fn.Signature.Results()
	return fn.Signature.Recv() == nil && res.Len() == 1 && ssautil.IsError(res.At(0).Type())
}
