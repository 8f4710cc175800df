package instrument

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// objectOf returns the variable that an expression denotes: a field of a named struct type, or
// a package variable, by the rules of the anchors. It is false for other expressions.
func objectOf(info *types.Info, e ast.Expr) (report.Object, *types.Var, bool) {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		s := info.Selections[e]
		if s == nil {
			v, ok := info.Uses[e.Sel].(*types.Var)
			return packageVar(v, ok)
		}
		if s.Kind() != types.FieldVal {
			return report.Object{}, nil, false
		}
		return fieldObject(info, e, s)
	case *ast.Ident:
		v, ok := info.Uses[e].(*types.Var)
		return packageVar(v, ok)
	case *ast.ParenExpr:
		return objectOf(info, e.X)
	case *ast.IndexExpr:
		return objectOf(info, e.X)
	case *ast.StarExpr:
		return objectOf(info, e.X)
	}
	return report.Object{}, nil, false
}

func packageVar(v *types.Var, ok bool) (report.Object, *types.Var, bool) {
	if !ok || v.IsField() || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return report.Object{}, nil, false
	}
	return report.Object{Package: v.Pkg().Path(), Field: v.Name()}, v, true
}

// fieldObject returns the field that a selector selects. A field of a struct type without a name
// belongs to the variable that has the struct.
func fieldObject(info *types.Info, e *ast.SelectorExpr, s *types.Selection) (report.Object, *types.Var, bool) {
	v := s.Obj().(*types.Var).Origin()
	owner := s.Recv()
	outer, known := report.Object{}, false
	path := s.Index()
	for i, index := range path {
		st, ok := deref(owner).Underlying().(*types.Struct)
		if !ok {
			return report.Object{}, nil, false
		}
		if named, ok := types.Unalias(deref(owner)).(*types.Named); ok && named.Obj().Pkg() != nil {
			outer, known = report.Object{Package: named.Origin().Obj().Pkg().Path(), Type: named.Obj().Name()}, true
		} else if i == 0 {
			outer, _, known = objectOf(info, e.X)
		}
		f := st.Field(index)
		outer.Field = join(outer.Field, f.Name())
		owner = f.Type()
	}
	return outer, v, known
}

func join(outer, field string) string { return strings.TrimPrefix(outer+"."+field, ".") }

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// isSync reports whether a type is one of package sync, other than a map, with a lock or the like
// in it: it orders accesses, and is not accessed itself.
func isSync(t types.Type) bool {
	named, ok := types.Unalias(deref(t)).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "sync" && named.Obj().Name() != "Map"
}

// isNamed reports whether t, or what it points to, is the named type of a package.
func isNamed(t types.Type, pkg, name string) bool {
	named, ok := types.Unalias(deref(t)).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == pkg && (name == "" || named.Obj().Name() == name)
}
