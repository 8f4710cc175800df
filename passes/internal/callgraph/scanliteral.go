package callgraph

import (
	"go/token"

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
	if g := p.ByFn[fn]; fn != nil && g != nil && g != f {
		f.Calls = append(f.Calls, Call{instr, g.ID, kind})
	}
}

// onlyCaptured reports whether the function that declares a variable with a literal does not use it,
// and the literals that capture it only call it.
func onlyCaptured(v *ssa.Alloc) bool {
	stores, captured := 0, false
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			stores++
		case *ssa.MakeClosure:
			captured = true
			if !onlyCalls(use, v) {
				return false
			}
		default:
			return false
		}
	}
	return stores == 1 && captured
}

// onlyCalls reports whether a literal that captures the variable at addr only calls what is in it.
func onlyCalls(mc *ssa.MakeClosure, addr ssa.Value) bool {
	for i, b := range mc.Bindings {
		if b != addr {
			continue
		}
		v := mc.Fn.(*ssa.Function).FreeVars[i]
		for _, use := range ssautil.Uses(v) {
			switch use := use.(type) {
			case *ssa.DebugRef:
			case *ssa.MakeClosure:
				if !onlyCalls(use, v) {
					return false
				}
			case *ssa.UnOp:
				if !isOnlyCalled(use) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// isOnlyCalled reports whether a function value has no use other than to be called.
func isOnlyCalled(v *ssa.UnOp) bool {
	for _, use := range ssautil.Uses(v) {
		if _, isDebug := use.(*ssa.DebugRef); isDebug {
			continue
		}
		c, ok := use.(ssa.CallInstruction)
		if !ok || c.Common().Value != v {
			return false
		}
		for _, a := range c.Common().Args {
			if a == v {
				return false
			}
		}
	}
	return true
}
