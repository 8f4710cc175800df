package funcsum

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A second test that panics if the first one has become false is an assertion, and no
// revalidation: control dependences leave it out. The same holds for a callee that tests
// and returns nil, to a caller that dereferences the result without a test:
//
//	q.pop().run()

// asserts reports whether the caller of the callee's access e dereferences, without a test,
// a result that the callee may return as nil. A test of an error or flag that is returned with it is a
// test of the result.
//
//	j, err := q.pop()
//	if err != nil { return err }
//	j.run()
func asserts(e *Event) bool {
	call, ok := e.Instr.(*ssa.Call)
	if !ok || slices.ContainsFunc(ssautil.Results(call), isAnswer) {
		return false
	}
	for i, r := range e.Callee.Results {
		if r.Nil && dereferenced(ssautil.Result(call, i)) {
			return true
		}
	}
	return false
}

// isAnswer reports whether v is an error or a flag that is used.
func isAnswer(v ssa.Value) bool {
	return (ssautil.IsError(v.Type()) || ssautil.IsBool(v.Type())) && len(ssautil.Uses(v)) > 0
}

// dereferenced reports whether v is dereferenced and not compared.
func dereferenced(v ssa.Value) bool {
	used, tested := usedAsPointer(v)
	return used && !tested
}

// usedAsPointer reports whether a pointer is dereferenced, and whether there may be a test of it. A literal that captures it has it in a
// variable.
func usedAsPointer(v ssa.Value) (used, tested bool) {
	if v == nil || v.Referrers() == nil {
		return false, false
	}
	for _, use := range ssautil.Uses(v) {
		if follows(use, v) {
			used = true
			continue
		}
		switch use := use.(type) {
		case *ssa.BinOp, *ssa.Phi:
			tested = true
		case *ssa.Store:
			variable := ssautil.VariableAt(use.Addr)
			if variable == nil || ssautil.SoleStore(variable) != use {
				return used, true
			}
			for _, l := range ssautil.LoadsOf(variable) {
				u, t := usedAsPointer(l)
				used, tested = used || u && l.Parent() == v.Parent(), tested || t
			}
		}
	}
	return used, tested
}

// follows reports whether an instruction fails if the pointer v is nil.
func follows(use ssa.Instruction, v ssa.Value) bool {
	switch use := use.(type) {
	case *ssa.FieldAddr:
		return true
	case *ssa.IndexAddr:
		_, isArray := v.Type().Underlying().(*types.Pointer)
		return isArray && use.X == v
	case *ssa.UnOp:
		return use.Op == token.MUL
	case *ssa.Store:
		return use.Addr == v
	}
	return false
}

// Dereference returns an instruction that fails if what e reads is nil, or nil.
func (f *Body) Dereference(e *Event) ssa.Instruction {
	for _, v := range e.Values {
		if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
			continue
		}
		for _, use := range ssautil.Uses(v) {
			call, ok := use.(ssa.CallInstruction)
			if follows(use, v) || ok && (IsReceiver(call, v) && f.NeedsReceiver(call.Common()) || f.in.needsArgument(call, v, limit.NilDepth)) {
				return use
			}
		}
	}
	return nil
}

// NeedsReceiver reports whether a call of a method by f panics if the receiver is nil.
func (f *Body) NeedsReceiver(c *ssa.CallCommon) bool {
	callees := f.in.Callees(f, c)
	if len(callees) != 1 {
		return false
	}
	if callees[0].Fn != nil {
		return needsReceiver(callees[0].Fn.Fn)
	}
	return callees[0].Sum != nil && callees[0].Sum.NeedsReceiver
}

// needsReceiver reports whether a method dereferences its receiver, on some path, and never
// compares it: it panics if the receiver is nil. fn may have no body.
func needsReceiver(fn *ssa.Function) bool {
	return len(fn.Blocks) > 0 && fn.Signature.Recv() != nil && dereferenced(fn.Params[0])
}
