package funcsum

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// To look again and to panic if things have changed is no second look, but an
// assertion that they have not: the control dependences leave it out. So is a
// callee that looks, finds nothing and returns nil, to a caller that uses the
// result without asking: q.pop().run().

// asserts reports whether the function of a callee's event fails if the callee has
// nothing to return.
func asserts(e *Event) bool {
	call, ok := e.Instr.(*ssa.Call)
	if !ok {
		return false
	}
	for i, r := range e.Callee.Results {
		if r.Nil && dereferenced(ssautil.Result(call, i)) {
			return true
		}
	}
	return false
}

// dereferenced reports whether v is used as a pointer, and never compared.
func dereferenced(v ssa.Value) bool {
	if v == nil || v.Referrers() == nil {
		return false
	}
	used := false
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			used = true
		case *ssa.UnOp:
			used = used || use.Op == token.MUL
		case *ssa.BinOp, *ssa.Phi, *ssa.Store:
			return false // who knows whether it was asked for
		}
	}
	return used
}

// NeedsReceiver reports whether a method, which may be nil or have no body, looks into
// its receiver before it decides anything: it fails if that is nil.
func NeedsReceiver(fn *ssa.Function) bool {
	if fn == nil || len(fn.Blocks) == 0 || len(fn.Params) == 0 {
		return false
	}
	for _, instr := range fn.Blocks[0].Instrs {
		switch instr := instr.(type) {
		case *ssa.FieldAddr:
			if instr.X == fn.Params[0] {
				return true
			}
		case *ssa.UnOp:
			if instr.Op == token.MUL && instr.X == fn.Params[0] {
				return true
			}
		}
	}
	return false
}
