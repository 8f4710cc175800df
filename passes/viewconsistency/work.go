package viewconsistency

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/summary"
)

// worksBetween reports whether the function may do work that takes time between two accesses: it calls what is not known, waits, or
// starts a goroutine.
func (d *detector) worksBetween(from, to *summary.Event) bool {
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if instr != from.Instr && instr != to.Instr && d.isWork(instr, limit.NotifyDepth) && d.f.Order().Exists(summary.Way{From: from.Instr, To: instr, Forward: true}) &&
				d.f.Order().Exists(summary.Way{From: instr, To: to.Instr, Forward: true}) {
				return true
			}
		}
	}
	return false
}

// isWork reports whether an instruction may do such work, itself or in a function that it calls, in at most the given number of calls.
func (d *detector) isWork(instr ssa.Instruction, calls int) bool {
	switch instr := instr.(type) {
	case *ssa.Go, *ssa.Send, *ssa.Select:
		return true
	case *ssa.UnOp:
		return instr.Op == token.ARROW
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
		obj := ssautil.Object(callee)
		return obj == nil || obj.Pkg() == nil || stdlib.Declares(obj).Outside || strings.Contains(obj.Pkg().Path(), ".")
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
