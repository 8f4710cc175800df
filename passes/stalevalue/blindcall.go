package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// isAskedBySome: the flag is asked before the call of a function that sets it, and others call that function without a
// look: it is made to be called again.
//
//	if !m.closed.Load() { m.stop() } // m.stop() sets m.closed
//	defer m.stop()
func (c *candidate) isAskedBySome() bool {
	set := slices.IndexFunc(c.d.f.Events, func(e *summary.Event) bool { return e.Instr == c.act.Instr && c.setsFlag(e) })
	if c.act.Callee == nil || set < 0 || !c.mayBeRepeated() {
		return false
	}
	operation, _ := c.d.pkg.Processes().InCallee(c.d.f, c.d.f.Events[set])
	return operation != nil && !handsOut(operation) && c.isCalledBlindly(operation, limit.WaitDepth)
}

// mayBeRepeated reports whether the call that acts leaves the same when it is made twice: it stores nothing that it is given, and
// counts and appends nothing without having asked for something.
func (c *candidate) mayBeRepeated() bool {
	call, ok := c.act.Instr.(ssa.CallInstruction)
	return ok && !slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		if e.Instr != c.act.Instr || !e.Writes() {
			return false
		}
		given := e.Op&summary.Delete == 0 && slices.ContainsFunc(e.Inputs, func(v ssa.Value) bool { return !ssautil.IsConst(v) && !summary.IsReceiver(call, v) })
		a := &e.Callee.Accesses[e.Index]
		return given || (e.Delta() || appends(e)) && len(a.Control) == 0 && a.ControlParams == 0
	})
}

// handsOut reports whether a function gives something to others each time it is called: it sends, calls a function value, or closes a
// channel without having asked for anything.
func handsOut(f *summary.Func) bool {
	return slices.ContainsFunc(f.Fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
			_, starts := instr.(*ssa.Go)
			call, ok := instr.(ssa.CallInstruction)
			closes := ok && ssautil.Builtin(call.Common()) == "close"
			return isVisible(instr) && !starts && !(closes && len(f.Deciding(b)) > 0)
		})
	})
}

// isCalledBlindly reports whether somebody calls a function that sets the flag without having asked it, and without any other claim;
// a helper may rely on its callers, as far as there are any in the package.
func (c *candidate) isCalledBlindly(operation *summary.Func, depth int) bool {
	p := c.d.pkg.Processes()
	return depth > 0 && slices.ContainsFunc(c.d.pkg.Funcs, func(f *summary.Func) bool {
		return !f.Test && slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
			if e.Callee == nil || !c.setsFlag(e) || e.Once() {
				return false
			}
			called, _ := p.InCallee(f, e)
			return called == operation && !c.isGated(f, e) && (f.Exported() || !c.hasCallers(f) || c.isCalledBlindly(f, depth-1))
		})
	})
}

// hasCallers reports whether a function of the package calls f.
func (c *candidate) hasCallers(f *summary.Func) bool {
	return slices.ContainsFunc(c.d.pkg.Funcs, func(g *summary.Func) bool {
		return slices.ContainsFunc(g.Events, func(e *summary.Event) bool {
			if e.Callee == nil || !c.setsFlag(e) {
				return false
			}
			called, _ := c.d.pkg.Processes().InCallee(g, e)
			return called == f
		})
	})
}

// isGated reports whether f makes a call only if it finds the flag clear, or has made a compare-and-swap.
func (c *candidate) isGated(f *summary.Func, e *summary.Event) bool {
	return slices.ContainsFunc(f.Events, func(r *summary.Event) bool {
		return r.Reads() && (r.Loc == e.Loc || r.Op&summary.Compare != 0) && f.Decides(r, e.Instr.Block())
	})
}

// setsFlag reports whether an access gives what was checked the only value that it is ever given.
func (c *candidate) setsFlag(e *summary.Event) bool {
	return e.Writes() && e.Loc == c.read.Loc && e.Const != "" && e.Const == c.info.Latch
}
