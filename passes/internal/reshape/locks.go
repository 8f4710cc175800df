package reshape

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// wrapLocks has locks taken and released by methods of the objects that they are in.
//
//	s.mu.Lock()      // s.re0muLock()
//	func (r *store) re0muLock() { r.mu.Lock() }
func (w *writer) wrapLocks() {
	made := make(map[string]bool)
	for _, f := range w.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fun, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !isLockMethod(typeutil.StaticCallee(w.Info, call)) {
				return true
			}
			field, ok := fun.X.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			owner := w.owner(field)
			if owner == nil {
				return true
			}
			method := prefix + field.Sel.Name + fun.Sel.Name
			w.replace(f, field.Sel.Pos(), fun.End(), method)
			w.places++
			if key := owner.Obj().Name() + "." + method; !made[key] {
				made[key] = true
				w.add(f, fmt.Sprintf("func (r *%s) %s() { r.%s.%s() }\n", owner.Obj().Name(), method, field.Sel.Name, fun.Sel.Name))
			}
			return true
		})
	}
}

// isLockMethod reports whether a function takes or releases a sync.Mutex or sync.RWMutex.
func isLockMethod(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "sync" && fn.Signature().Recv() != nil &&
		slices.Contains([]string{"Lock", "Unlock", "RLock", "RUnlock"}, fn.Name())
}

// owner returns the type whose field is selected directly, if methods can be added to it.
func (w *writer) owner(field *ast.SelectorExpr) *types.Named {
	s := w.Info.Selections[field]
	if s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 {
		return nil
	}
	t := s.Recv()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() != w.Types || named.Obj().Parent() != w.Types.Scope() || named.TypeParams().Len() > 0 {
		return nil
	}
	return named
}
