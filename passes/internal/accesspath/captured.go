package accesspath

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A critical section may be a literal that leaves what it has found in a variable of the function:
//
//	var e *entry
//	func() {
//		c.mu.Lock()
//		defer c.mu.Unlock()
//		e = c.open[path]
//	}()
//	e.refs.Add(1) // of c.open[path]
//
// The variable is another name for what the literal stores there, if nobody else stores anything.

// storedInLiteral returns what the variable v refers to, if its only value is stored by a literal that the function calls, or hands to a
// function that it calls, and is found by way of what the literal has captured.
func (r *Resolver) storedInLiteral(v *ssa.Alloc) (Ref, bool) {
	st := ssautil.SoleStore(v)
	if st == nil || st.Parent() == r.fn || st.Parent().Parent() != r.fn {
		return Ref{}, false
	}
	literal := st.Parent()
	closure := ssautil.ClosureOf(literal)
	if closure == nil || !isCalled(closure) {
		return Ref{}, false
	}
	at := NewResolver(literal, nil, nil).Resolve(st.Val).Path.Substitute(func(root Path) Path {
		for i, bound := range closure.Bindings {
			if root == Free(i) && bound != ssa.Value(v) {
				return r.Resolve(bound).Path
			}
		}
		if root.IsGlobal() {
			return root
		}
		return Unknown // what only the literal has a name for
	})
	if at == Unknown || at.HasAny() || at == at.Root() {
		return Ref{}, false
	}
	return r.variableAt(at, ssautil.Deref(v.Type())), true
}

// isCalled reports whether a closure is only called, by the function that makes it or by one of the package that it is handed to.
func isCalled(closure *ssa.MakeClosure) bool {
	for _, use := range ssautil.Uses(closure) {
		switch use.(type) {
		case *ssa.DebugRef, *ssa.Call:
		default:
			return false
		}
	}
	return !ssautil.Kept(closure, func(ssa.CallInstruction) bool { return true })
}
