package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A usage is what is done with the variable that an expression denotes.
type usage struct {
	node  ast.Node // that the access belongs to
	write bool
	// assigned is set if the variable itself is assigned to, rather than an element.
	assigned bool
	index    *ast.IndexExpr // the first index
	key      ast.Expr       // of delete, or of an operation of a sync.Map
	cas      *ast.CallExpr
	// content is set if a method or function of another package gets the address.
	content bool
	// part is set if only a field of the variable is used, which is a variable of its own.
	part bool
}

// usage finds out what is done with an expression.
func (f *file) usage(e ast.Expr) usage {
	u := usage{node: e}
	child, parent := ast.Node(e), f.parent[e]
climb:
	for {
		switch x := parent.(type) {
		case *ast.ParenExpr:
		case *ast.IndexExpr:
			if x.X != child || !isContainer(f.Info.TypeOf(x.X)) {
				break climb
			}
			if u.index == nil {
				u.index = x
			}
			u.node = x
		case *ast.SelectorExpr:
			s := f.Info.Selections[x]
			if s == nil || s.Kind() != types.FieldVal || x.X != child {
				break climb
			}
			if _, pointer := f.Info.TypeOf(x.X).Underlying().(*types.Pointer); pointer {
				break climb
			}
			u.part = u.index == nil
			return u
		default:
			break climb
		}
		child, parent = parent, f.parent[parent]
	}
	f.role(&u, child, parent)
	u.assigned = u.write && u.index == nil && u.key == nil && u.assigned
	return u
}

func isContainer(t types.Type) bool {
	switch deref(t).Underlying().(type) {
	case *types.Map, *types.Slice, *types.Array:
		return true
	}
	return false
}

// role finds out what is done with child, which is the expression or an element of it.
func (f *file) role(u *usage, child, parent ast.Node) {
	switch x := parent.(type) {
	case *ast.AssignStmt:
		for _, l := range x.Lhs {
			if l == child {
				u.write, u.assigned = true, true
			}
		}
	case *ast.IncDecStmt:
		u.write, u.assigned = true, true
	case *ast.RangeStmt:
		if x.Key == child || x.Value == child {
			u.write, u.assigned = true, true
		}
	case *ast.CallExpr:
		f.argument(u, child, x)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			f.address(u, x)
		}
	case *ast.SelectorExpr:
		if call, ok := f.parent[x].(*ast.CallExpr); ok && call.Fun == x {
			f.method(u, x, call)
		}
	}
}

// argument is for an argument of a call.
func (f *file) argument(u *usage, child ast.Node, call *ast.CallExpr) {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || len(call.Args) == 0 || call.Args[0] != child {
		return
	}
	if _, ok := f.Info.Uses[id].(*types.Builtin); !ok {
		return
	}
	switch id.Name {
	case "delete":
		u.write, u.node = true, call
		if u.index == nil {
			u.key = call.Args[1]
		}
	case "clear", "copy":
		u.write, u.node = true, call
	case "close":
		// That a channel is closed is a state of the variable that has it, for findings about it.
		u.write, u.node = !f.in.config.Observe, call
	}
}

// address is for &x as an argument.
func (f *file) address(u *usage, x *ast.UnaryExpr) {
	call, ok := f.parent[x].(*ast.CallExpr)
	if !ok {
		return
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	fn, ok := f.Info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil {
		return
	}
	if fn.Pkg().Path() == "sync/atomic" {
		u.node = call
		u.write = !strings.HasPrefix(fn.Name(), "Load")
		u.cas = f.compares(fn, call)
		return
	}
	u.content = f.isForeign(fn)
}

// method is for a call of a method of the variable.
func (f *file) method(u *usage, sel *ast.SelectorExpr, call *ast.CallExpr) {
	fn, ok := f.Info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil {
		return
	}
	switch {
	case fn.Pkg().Path() == "sync/atomic":
		u.node = call
		u.write = fn.Name() != "Load"
		u.cas = f.compares(fn, call)
	case isNamed(f.Info.TypeOf(sel.X), "sync", "Map"):
		u.node = call
		u.write = fn.Name() != "Load" && fn.Name() != "Range"
		if len(call.Args) > 0 && fn.Name() != "Range" && u.index == nil {
			u.key = call.Args[0]
		}
	case f.isForeign(fn):
		u.node = call
		_, pointer := fn.Signature().Recv().Type().(*types.Pointer)
		u.content = pointer && u.index == nil
	}
}

// compares returns a compare-and-swap whose result can be looked at.
func (f *file) compares(fn *types.Func, call *ast.CallExpr) *ast.CallExpr {
	if !strings.HasPrefix(fn.Name(), "CompareAndSwap") {
		return nil
	}
	switch f.parent[call].(type) {
	case *ast.DeferStmt, *ast.GoStmt:
		return nil
	}
	return call
}

// isForeign reports whether a function is of a package that is not instrumented.
func (f *file) isForeign(fn *types.Func) bool { return !f.in.packages[fn.Pkg().Path()] }
