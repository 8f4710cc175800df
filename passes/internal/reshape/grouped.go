package reshape

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// grouped has goroutines started by a sync.WaitGroup.
//
//	go s.loop(ctx)
//
//	{
//		var re0v1 context.Context = ctx
//		new(sync.WaitGroup).Go(func() { s.loop(re0v1) })
//	}
//
// The function is a literal, or a method of what no statement assigns to.
func (w *writer) grouped() {
	for _, f := range w.Files {
		group, ok := w.nameIn(f, "sync")
		if !ok {
			continue
		}
		assigned := w.assigned(f)
		ast.Inspect(f, func(n ast.Node) bool {
			g, ok := n.(*ast.GoStmt)
			if !ok {
				return true
			}
			if text, ok := w.inGroup(f, g.Call, assigned); ok && !w.shadowed(group, g.Pos()) {
				w.replace(f, g.Pos(), g.End(), fmt.Sprintf(text, group))
				w.places++
				return false // nothing else is replaced in there
			}
			return true
		})
	}
}

// inGroup returns the statements that have a WaitGroup, of a package with the name %s, make a call in a goroutine.
func (w *writer) inGroup(f *ast.File, call *ast.CallExpr, assigned map[types.Object]bool) (text string, ok bool) {
	const start = "new(%s.WaitGroup).Go(func() "
	lit, isLit := ast.Unparen(call.Fun).(*ast.FuncLit)
	sig, ok := w.Info.TypeOf(call.Fun).(*types.Signature)
	switch {
	case !ok || sig.Variadic() || sig.TypeParams().Len() > 0 || len(call.Args) != sig.Params().Len() || strings.Contains(w.text(f, call), "%"):
		return "", false
	case isLit && len(call.Args) == 0 && sig.Results().Len() == 0:
		return start + w.text(f, lit.Body) + ")", true
	case !isLit && !w.isFixed(call.Fun, assigned):
		return "", false
	}
	var decls strings.Builder
	var args []string
	for i, arg := range call.Args {
		name, ok := w.declareFresh(&decls, f, sig.Params().At(i), call.Pos(), " = "+w.text(f, arg))
		if !ok {
			return "", false
		}
		args = append(args, name)
	}
	return fmt.Sprintf("{\n%s%s{ %s(%s) })\n}", decls.String(), start, w.text(f, call.Fun), strings.Join(args, ", ")), true
}

// nameIn returns the name of an imported package in a file.
func (w *writer) nameIn(f *ast.File, path string) (string, bool) {
	for _, spec := range f.Imports {
		if name := w.Info.PkgNameOf(spec); name != nil && name.Imported().Path() == path && token.IsIdentifier(name.Name()) && name.Name() != "_" {
			return name.Name(), true
		}
	}
	return "", false
}
