package reshape

import (
	"go/ast"
	"go/types"
)

// rename gives all that is declared in the package, and not exported, a name with the prefix. What
// ends a name stays, as a method called closeLocked says something by that.
func (w *writer) rename() {
	for _, f := range w.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id != f.Name && w.isOwn(id) {
				w.replace(f, id.Pos(), id.Pos(), prefix)
				w.places++
			}
			return true
		})
	}
}

// isOwn reports whether an identifier is the name of something that can be renamed.
func (w *writer) isOwn(id *ast.Ident) bool {
	if id.Name == "_" || id.Name == "main" || id.Name == "init" || id.IsExported() {
		return false
	}
	obj, defined := w.Info.Defs[id]
	if !defined {
		obj = w.Info.Uses[id]
	}
	if obj == nil {
		return defined // the variable of a type switch
	}
	_, imported := obj.(*types.PkgName)
	return !imported && obj.Pkg() == w.Types
}
