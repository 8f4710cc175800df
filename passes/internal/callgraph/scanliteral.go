package callgraph

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A literal that is the only value of a local variable is called wherever the variable is: in the
// function that declares it, or in the literals that capture the variable, which may be goroutines.
//
//	add := func(d int) { mu.Lock(); n += d; mu.Unlock() }
//	go func() { add(1) }() // the goroutine calls add, and the function does not

// scanCaptured records the call of a literal through a captured variable that Resolve does not
// resolve, as the caller has not captured what the literal has.
func (p *scanner) scanCaptured(f *Node, instr ssa.CallInstruction, kind fact.CallKind) {
	l, ok := instr.Common().Value.(*ssa.UnOp)
	if !ok || l.Op != token.MUL {
		return
	}
	if _, captured := l.X.(*ssa.FreeVar); !captured {
		return
	}
	v := ssautil.VariableAt(l.X)
	if v == nil {
		return
	}
	fn, _, _ := p.FuncValue(nil, v)
	if g := p.Called(fn); fn != nil && g != nil && g != f {
		f.Calls = append(f.Calls, Call{instr, g.ID, kind})
	}
}

// onlyCaptured reports whether a variable has one literal as its only value, which the literals that capture the
// variable call, and the function that declares it does not.
func onlyCaptured(v *ssa.Alloc) bool {
	calls, ok := ssautil.CallsOf(v)
	return ok && len(calls) > 0 && ssautil.SoleStore(v) != nil &&
		!slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool { return c.Parent() == v.Parent() })
}
