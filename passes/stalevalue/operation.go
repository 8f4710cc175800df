package stalevalue

import (
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/lifetime"
)

// An operation does something outside the program, or in another part of it, and yields nothing but an error: it sends a message, or
// removes a file. To do it twice is another thing than to do it once, so that a flag which says that it has been done, or is going to
// be, is a claim:
//
//	if s.isSent(id) { return nil }
//	s.markSent(id)
//	return s.mail.Send(id) // sent twice, if two have found the flag clear
//
// An operation that yields something else may only look it up, and one that closes is done once whoever does it.

// goesWithOperation reports whether an operation comes after the act, or the act after an operation that has not failed, as conditions decide.
func (c *candidate) goesWithOperation(conds map[ssa.Value]bool) bool {
	return c.leadsToOperation(conds) || c.followsOperation(conds)
}

// leadsToOperation reports whether an operation always comes after the act, and conditions decide about it.
func (c *candidate) leadsToOperation(conds map[ssa.Value]bool) bool {
	for _, b := range c.d.f.Fn.Blocks {
		if !c.d.f.DecidedBy(b, conds) {
			continue
		}
		for _, instr := range b.Instrs {
			if instr != c.act.Instr && c.d.operates(instr, limit.OperationDepth) && ssautil.Precedes(c.act.Instr, instr) {
				return true
			}
		}
	}
	return false
}

// followsOperation reports whether the act is only made if an operation that conditions decide about has not failed.
//
//	if !s.isDue(id) { return nil }
//	if err := s.mail.Send(id); err != nil { return err }
//	s.drop(id)
func (c *candidate) followsOperation(conds map[ssa.Value]bool) bool {
	for call := range succeeded(c.act.Instr.Block()) {
		if c.d.operates(call, limit.OperationDepth) && c.d.f.DecidedBy(call.Block(), conds) {
			return true
		}
	}
	return false
}

// succeeded yields the calls that have returned no error whenever control is in a block.
func succeeded(b *ssa.BasicBlock) iter.Seq[*ssa.Call] {
	return func(yield func(*ssa.Call) bool) {
		for f := range branch.At(b) {
			if call, _ := ssautil.CallOf(f.Subject); f.Nil() && call != nil && ssautil.IsError(f.Subject.Type()) && !yield(call) {
				return
			}
		}
	}
}

// operates reports whether an instruction is an operation, or calls a function of the package that carries one out in any case.
func (d *detector) operates(instr ssa.Instruction, depth int) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	c := call.Common()
	onlyFails := c.Signature().Results().Len() == 1 && mayFail(c.Signature())
	switch callee := c.StaticCallee(); {
	case c.IsInvoke():
		return onlyFails && !lifetime.IsClosing(c.Method)
	case callee == nil:
		return false
	case d.pkg.FuncOf(callee) == nil:
		obj := ssautil.Object(callee)
		return onlyFails && stdlib.Declares(obj).Outside && !lifetime.IsClosing(obj)
	case depth == 0:
		return false
	default:
		entry := d.pkg.FuncOf(callee).Fn.Blocks
		return len(entry) > 0 && slices.ContainsFunc(entry[0].Instrs, func(instr ssa.Instruction) bool { return d.operates(instr, depth-1) })
	}
}

// mayFail reports whether the last result of a function is an error.
func mayFail(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && ssautil.IsError(sig.Results().At(n-1).Type())
}
