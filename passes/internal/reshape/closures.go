package reshape

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// closures has goroutines and deferred releases begin with a literal, which makes the call.
//
//	go s.loop()         // go func() { s.loop() }()
//	defer s.mu.Unlock() // defer func() { s.mu.Unlock() }()
//
// The call has no arguments, and is on what no statement assigns to, so that it does not matter when it is evaluated.
// What else is deferred may recover, which only the deferred function itself can do.
func (w *writer) closures() {
	for _, f := range w.Files {
		assigned := w.assigned(f)
		ast.Inspect(f, func(n ast.Node) bool {
			var call *ast.CallExpr
			switch n := n.(type) {
			case *ast.GoStmt:
				call = n.Call
			case *ast.DeferStmt:
				if fn := typeutil.StaticCallee(w.Info, n.Call); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "sync" {
					call = n.Call
				}
			}
			if call != nil && len(call.Args) == 0 && w.isFixed(call.Fun, assigned) {
				w.replace(f, call.Pos(), call.End(), "func() { "+w.text(f, call)+" }()")
				w.places++
				return false // nothing else is replaced in there
			}
			return true
		})
	}
}

// assigned returns the variables that a file assigns to, after their declaration.
func (w *writer) assigned(f *ast.File) map[types.Object]bool {
	out := make(map[types.Object]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, x := range a.Lhs {
				if id, ok := x.(*ast.Ident); ok {
					out[w.Info.Uses[id]] = true
				}
			}
		}
		return true
	})
	return out
}

// isFixed reports whether the function of a call is a method of a variable, or of one of its fields, that is not assigned to.
func (w *writer) isFixed(fun ast.Expr, assigned map[types.Object]bool) bool {
	selects := false
	for {
		switch x := fun.(type) {
		case *ast.SelectorExpr:
			fun, selects = x.X, true
			continue
		case *ast.Ident:
			_, isVar := w.Info.Uses[x].(*types.Var)
			return selects && isVar && !assigned[w.Info.Uses[x]]
		}
		return false
	}
}
