package mend

import (
	"go/ast"
	"go/token"
	"go/types"
)

// plain reports whether an expression only names something, or allocates: it has no effects, does
// not wait, and does not panic but for a nil pointer.
func (f *function) plain(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit, *ast.Ident, *ast.FuncLit:
		return true
	case *ast.SelectorExpr:
		return f.plain(e.X)
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && f.plain(e.X)
	case *ast.BinaryExpr:
		return e.Op != token.QUO && e.Op != token.REM && e.Op != token.SHL && e.Op != token.SHR && f.plain(e.X) && f.plain(e.Y)
	case *ast.KeyValueExpr:
		return f.plain(e.Value)
	case *ast.CompositeLit:
		return f.allPlain(e.Elts)
	case *ast.CallExpr:
		if tv := f.pass.TypesInfo.Types[e.Fun]; tv.IsType() {
			_, slice := tv.Type.Underlying().(*types.Slice)
			return !slice && len(e.Args) == 1 && f.plain(e.Args[0])
		}
		return (f.isBuiltin(e, "new") && len(e.Args) == 1) || (f.isBuiltin(e, "len", "cap") && f.allPlain(e.Args))
	case *ast.StarExpr:
		return false
	}
	return false
}

func (f *function) allPlain(list []ast.Expr) bool {
	for _, e := range list {
		if !f.plain(e) {
			return false
		}
	}
	return true
}

func (f *function) isBuiltin(call *ast.CallExpr, names ...string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := f.pass.TypesInfo.Uses[id].(*types.Builtin)
	for _, name := range names {
		if ok && b.Name() == name {
			return true
		}
	}
	return false
}

// computes reports whether a statement or an expression only computes something: it calls nothing
// but builtins, does not wait for other goroutines, and does not end the function. Type
// conversions are no calls.
func (f *function) computes(n ast.Node) bool {
	ok := true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if !f.pass.TypesInfo.Types[n.Fun].IsType() &&
				!f.isBuiltin(n, "append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real") {
				ok = false
			}
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.FuncLit, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.LabeledStmt, *ast.ForStmt,
			*ast.RangeStmt, *ast.ReturnStmt, *ast.BranchStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
			ok = false
		}
		return ok
	})
	return ok
}

// changesLocals reports whether what a statement assigns are variables of the function only.
func (f *function) changesLocals(n ast.Node) bool {
	ok := true
	local := func(e ast.Expr) {
		if id, isIdent := ast.Unparen(e).(*ast.Ident); isIdent && id.Name == "_" {
			return
		}
		v := f.object(e)
		ok = ok && v != nil && v.Parent() != f.pass.Pkg.Scope() && f.body.Pos() <= v.Pos() && v.Pos() < f.body.End()
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				local(lhs)
			}
		case *ast.IncDecStmt:
			local(n.X)
		}
		return ok
	})
	return ok
}

// leaves reports whether control does not come to the end of a block: it ends with a return, a
// branch to elsewhere, or a panic.
func (f *function) leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch last := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Label == nil && (last.Tok == token.BREAK || last.Tok == token.CONTINUE)
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		return ok && f.isBuiltin(call, "panic")
	}
	return false
}
