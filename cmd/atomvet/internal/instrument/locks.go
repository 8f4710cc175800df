package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// lockOps are the operations on locks of package sync, with those of the support package.
var lockOps = map[string]int{"Lock": 1, "RLock": 1, "Unlock": 2, "RUnlock": 2, "TryLock": 3, "TryRLock": 3}

// locks instruments the operations on the locks of package sync in a file.
func (f *file) locks() {
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		fn, ok := f.Info.Uses[sel.Sel].(*types.Func)
		if ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync" {
			f.lock(call, sel, fn)
		}
		return true
	})
}

// lock instruments one operation. That of a lock behind an interface or a call is left alone.
func (f *file) lock(call *ast.CallExpr, sel *ast.SelectorExpr, fn *types.Func) {
	s := f.Info.Selections[sel]
	if s == nil || hasCall(sel.X) {
		return
	}
	text, t, name := f.promoted(sel, s)
	wait := isNamed(t, "sync", "Cond") && fn.Name() == "Wait"
	op := lockOps[fn.Name()]
	if !wait && (op == 0 || !isNamed(t, "sync", "Mutex") && !isNamed(t, "sync", "RWMutex")) {
		return
	}
	if _, pointer := t.Underlying().(*types.Pointer); !pointer {
		text = "&" + text
	}
	site := f.newSite(name, usage{node: call}, false)
	class := f.in.object(name)
	switch {
	case wait:
		f.wrap(call.Fun, fmt.Sprintf("atomvetrt.LW(%s, %d, ", text, site.number), ")", access)
	case op == 3:
		f.wrap(call.Fun, fmt.Sprintf("atomvetrt.LT(%s, %d, %d, ", text, class, site.number), ")", access)
	default:
		f.wrap(call.Fun, fmt.Sprintf("atomvetrt.L(%s, %d, %d, %d, ", text, op, class, site.number), ")", access)
	}
}

// promoted returns the source, the type and the name of the lock whose method is selected, which
// may be that of an embedded field.
func (f *file) promoted(sel *ast.SelectorExpr, s *types.Selection) (string, types.Type, report.Object) {
	base := f.in.program.Fset.File(f.Syntax.FileStart).Base()
	text := string(f.Source[int(sel.X.Pos())-base : int(sel.X.End())-base])
	t := f.Info.TypeOf(sel.X)
	name, _, ok := objectOf(f.Info, sel.X)
	if !ok {
		name = report.Object{Package: f.Types.Path(), Field: text}
	}
	path := s.Index()
	for _, i := range path[:len(path)-1] {
		st, ok := deref(t).Underlying().(*types.Struct)
		if !ok {
			break
		}
		if named, ok := types.Unalias(deref(t)).(*types.Named); ok && named.Obj().Pkg() != nil {
			name = report.Object{Package: named.Obj().Pkg().Path(), Type: named.Obj().Name()}
		}
		field := st.Field(i)
		text, t = text+"."+field.Name(), field.Type()
		name.Field = join(name.Field, field.Name())
	}
	return text, t, name
}

// hasCall reports whether an expression may have an effect.
func hasCall(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}
