package reshape

import (
	"go/ast"
	"go/types"
	"slices"
)

// embed has structs embed their lock.
//
//	type store struct { mu sync.Mutex; m map[string]int } // type store struct { sync.Mutex; … }
//	s.mu.Lock()                                            // s.Lock()
//
// The lock is the only one of the struct, which has no methods of these names and embeds nothing.
func (w *writer) embed() {
	locks := make(map[types.Object]string) // the name of the field that takes the place of one
	for _, f := range w.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.TypeParams != nil {
				return true
			}
			if field := w.embeddable(spec); field != nil {
				mutex := w.Info.Defs[field.Names[0]]
				locks[mutex] = mutex.Type().(*types.Named).Obj().Name()
				w.replace(f, field.Names[0].Pos(), field.Type.Pos(), "")
				w.places++
			}
			return true
		})
	}
	for _, f := range w.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				inner, ok := n.X.(*ast.SelectorExpr)
				if ok && locks[w.Info.Uses[inner.Sel]] != "" {
					w.replace(f, inner.X.End(), inner.End(), "") // s.mu.Lock
				} else if name := locks[w.Info.Uses[n.Sel]]; name != "" && !w.isReplaced(f, n) {
					w.replace(f, n.Sel.Pos(), n.Sel.End(), name)
				}
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && locks[w.Info.Uses[id]] != "" {
					w.replace(f, id.Pos(), id.End(), locks[w.Info.Uses[id]])
				}
			}
			return true
		})
	}
}

// isReplaced reports whether a selector is within a part of a file that has been replaced.
func (w *writer) isReplaced(f *ast.File, x *ast.SelectorExpr) bool {
	return slices.ContainsFunc(w.edits[f], func(e edit) bool { return e.start <= w.offset(x.Sel.Pos()) && w.offset(x.Sel.End()) <= e.end })
}

// embeddable returns the field with the lock that a struct can embed, or nil.
func (w *writer) embeddable(spec *ast.TypeSpec) *ast.Field {
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	var lock *ast.Field
	for _, field := range st.Fields.List {
		switch {
		case len(field.Names) == 0:
			return nil
		case !isLock(w.Info.TypeOf(field.Type)):
		case lock != nil || len(field.Names) > 1 || field.Names[0].Name == "_" || field.Tag != nil:
			return nil
		default:
			lock = field
		}
	}
	if lock == nil {
		return nil
	}
	t := types.NewPointer(w.Info.Defs[spec.Name].Type())
	for _, name := range []string{"Lock", "Unlock", "RLock", "RUnlock", "TryLock", "TryRLock", "RLocker", "Mutex", "RWMutex"} {
		if obj, _, _ := types.LookupFieldOrMethod(t, true, w.Types, name); obj != nil {
			return nil
		}
	}
	return lock
}

// isLock reports whether a type is that of a lock of package sync.
func isLock(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "sync" && (named.Obj().Name() == "Mutex" || named.Obj().Name() == "RWMutex")
}
