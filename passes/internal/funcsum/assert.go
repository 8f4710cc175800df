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
func dereferenced(v ssa.Value) bool { return needed(v, limit.NilDepth) }

// needed reports whether v is dereferenced, by the function or by callees a few calls deep, and not compared.
func needed(v ssa.Value, depth int) bool {
	used, tested := usedAsPointer(v, depth)
	return used && !tested
}

// usedAsPointer reports whether a pointer is dereferenced, and whether there may be a test of it. A literal that captures it has it in a
// variable.
func usedAsPointer(v ssa.Value, depth int) (used, tested bool) {
	if v == nil || v.Referrers() == nil {
		return false, false
	}
	for _, use := range ssautil.Uses(v) {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			used = true
		case *ssa.UnOp:
			used = used || use.Op == token.MUL
		case *ssa.BinOp, *ssa.Phi:
			tested = true
		case *ssa.Call:
			used = used || neededByCallee(use, v, depth)
		case *ssa.Store:
			variable := ssautil.VariableAt(use.Addr)
			if use.Val != v || variable == nil || ssautil.SoleStore(variable) != use {
				return used, true
			}
			for _, l := range ssautil.LoadsOf(variable) {
				u, t := usedAsPointer(l, depth)
				used, tested = used || u && l.Parent() == v.Parent(), tested || t
			}
		}
	}
	return used, tested
}

// neededByCallee reports whether the function that is called dereferences its argument v, and never compares it.
//
//	s.cleanup(s.stream()) // func (s *S) cleanup(t *stream) { t.mu.Lock() … }
func neededByCallee(call *ssa.Call, v ssa.Value, depth int) bool {
	fn := call.Call.StaticCallee()
	if fn == nil || depth == 0 {
		return false
	}
	for i, arg := range call.Call.Args {
		if arg == v && i < len(fn.Params) && needed(fn.Params[i], depth-1) {
			return true
		}
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
			switch use := use.(type) {
			case *ssa.FieldAddr:
				return use
			case *ssa.UnOp:
				if use.Op == token.MUL {
					return use
				}
			case *ssa.Call:
				if IsReceiver(use, v) && f.NeedsReceiver(&use.Call) || neededByCallee(use, v, limit.NilDepth) {
					return use
				}
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
