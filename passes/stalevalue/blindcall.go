package stalevalue

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// isAskedBySome: the flag is checked before the call of an operation that sets it, and another caller makes the call without a check. The
// operation is idempotent, and the check no claim.
//
//	if !m.closed.Load() { m.stop() } // m.stop() sets m.closed
//	defer m.stop()
func (c *candidate) isAskedBySome() bool {
	if c.act.Callee == nil {
		return false
	}
	set := slices.IndexFunc(c.d.f.Events, func(e *summary.Event) bool { return e.Instr == c.act.Instr && c.setsFlag(e) })
	if set < 0 || !c.mayBeRepeated() {
		return false
	}
	operation, _ := c.d.pkg.Processes().InCallee(c.d.f, c.d.f.Events[set])
	return operation != nil && !handsOut(operation) && c.isCalledBlindly(operation, limit.WaitDepth)
}

// mayBeRepeated reports whether a second call of the act leaves the state as it is: the callee stores no argument, and each relative update
// and append in it is conditional.
func (c *candidate) mayBeRepeated() bool {
	call, ok := c.act.Instr.(ssa.CallInstruction)
	return ok && !slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		if e.Instr != c.act.Instr || e.Callee == nil || !e.Writes() {
			return false
		}
		given := e.Op&summary.Delete == 0 && slices.ContainsFunc(e.Inputs, func(v ssa.Value) bool { return !ssautil.IsConst(v) && !summary.IsReceiver(call, v) })
		a := &e.Callee.Accesses[e.Index]
		return given || (e.Delta() || appends(e)) && len(a.Control) == 0 && a.ControlParams == 0
	})
}

// handsOut reports whether a function has an effect that each call repeats: it sends, calls a function value, or closes a channel
// unconditionally.
func handsOut(f *summary.Func) bool {
	return slices.ContainsFunc(f.Fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
			call, ok := instr.(ssa.CallInstruction)
			closes := ok && ssautil.Builtin(call.Common()) == "close"
			return isVisible(instr) && !funcsum.StartsAtOnce(instr) && !(closes && len(f.Deciding(b)) > 0)
		})
	})
}

// isCalledBlindly reports whether a caller makes the call of an operation that sets the flag without a check of the flag or another claim.
// The check of a helper may be in its callers.
func (c *candidate) isCalledBlindly(operation *summary.Func, depth int) bool {
	for f, e := range c.callsOf(operation) {
		if depth > 0 && !f.Test && !e.Once() && !c.isGated(f, e) && (f.Exported() || !c.hasCallers(f) || c.isCalledBlindly(f, depth-1)) {
			return true
		}
	}
	return false
}

// hasCallers reports whether a function of the package calls f.
func (c *candidate) hasCallers(f *summary.Func) bool {
	for range c.callsOf(f) {
		return true
	}
	return false
}

// callsOf yields the callers of an operation that sets the flag, with the event that the call has for that.
func (c *candidate) callsOf(operation *summary.Func) iter.Seq2[*summary.Func, *summary.Event] {
	return func(yield func(*summary.Func, *summary.Event) bool) {
		for _, f := range c.d.pkg.Funcs {
			for _, e := range f.Events {
				if e.Callee == nil || !c.setsFlag(e) {
					continue
				}
				if called, _ := c.d.pkg.Processes().InCallee(f, e); called == operation && !yield(f, e) {
					return
				}
			}
		}
	}
}

// isGated reports whether a call in f is control dependent on a read of the flag, or on a compare-and-swap.
func (c *candidate) isGated(f *summary.Func, e *summary.Event) bool {
	return slices.ContainsFunc(f.Events, func(r *summary.Event) bool {
		return r.Reads() && (r.Loc == e.Loc || r.Op&summary.Compare != 0) && f.Decides(r, e.Instr.Block())
	})
}

// setsFlag reports whether an access writes the checked location, and the only constant that is ever written there.
func (c *candidate) setsFlag(e *summary.Event) bool {
	return e.Writes() && e.Loc == c.read.Loc && e.Const != "" && e.Const == c.info.Latch
}
