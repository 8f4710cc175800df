package mend

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Copy clones the map or slice that is read at a position and assigned to a variable there:
//
//	mu.Lock(); list := s.list; mu.Unlock()
//
// Through the variable elements are only read: others of the same map or slice see no difference.
func Copy(pass *analysis.Pass, read token.Pos) []analysis.SuggestedFix {
	f, ok := functionAt(pass, read, read)
	if !ok {
		return nil
	}
	p, ok := f.place(read)
	if !ok {
		return nil
	}
	assign, ok := p.stmt().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != len(assign.Rhs) {
		return nil
	}
	i := slices.IndexFunc(assign.Rhs, func(e ast.Expr) bool { return e.Pos() <= read && read < e.End() })
	if i < 0 {
		return nil
	}
	if v := f.object(assign.Lhs[i]); v == nil || !f.onlyRead(v) {
		return nil
	}
	e := assign.Rhs[i]
	if _, ok := ast.Unparen(e).(*ast.SelectorExpr); !ok || !f.plain(e) {
		return nil
	}
	pkg := ""
	switch f.pass.TypesInfo.TypeOf(e).Underlying().(type) {
	case *types.Slice:
		pkg = "slices"
	case *types.Map:
		pkg = "maps"
	default:
		return nil
	}
	if v := pass.TypesInfo.FileVersions[f.file]; v != "" && version.Compare(v, "go1.21") < 0 {
		return nil
	}
	name, edits, ok := f.imported(pkg)
	if !ok {
		return nil
	}
	return fix("Copy under the lock", append(edits, replace(e, name+".Clone("+f.text(e)+")"))...)
}

// onlyRead reports whether the elements of a container that a variable has are looked at, and neither
// changed through it nor given to others.
func (f *function) onlyRead(v *types.Var) bool {
	reads := 0
	is := func(e ast.Expr) int {
		if f.object(e) == v {
			return 1
		}
		return 0
	}
	changed := func(e ast.Expr) bool {
		x, ok := ast.Unparen(e).(*ast.IndexExpr)
		return ok && is(x.X) > 0
	}
	ok := true
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			reads += is(n.X)
		case *ast.IndexExpr:
			reads += is(n.X)
		case *ast.BinaryExpr:
			reads += is(n.X) + is(n.Y)
		case *ast.CallExpr:
			if f.isBuiltin(n, "len", "cap") {
				reads += is(n.Args[0])
			}
		case *ast.UnaryExpr:
			ok = ok && !(n.Op == token.AND && changed(n.X))
		case *ast.IncDecStmt:
			ok = ok && !changed(n.X)
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				reads += is(lhs)
				ok = ok && !changed(lhs)
			}
		}
		return true
	})
	return ok && reads == f.uses(v, f.body.Pos(), f.body.End())
}

// imported returns the name by which a file knows a package of the standard library, with the edits
// that import it if the file does not yet.
func (f *function) imported(pkg string) (name string, edits []analysis.TextEdit, ok bool) {
	for _, spec := range f.file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if path == "C" {
			return "", nil, false // the comment before it belongs to it
		}
		if err == nil && path == pkg {
			if spec.Name == nil {
				return pkg, nil, f.free(pkg, true)
			}
			return spec.Name.Name, nil, spec.Name.Name != "." && spec.Name.Name != "_" && f.free(spec.Name.Name, true)
		}
	}
	return pkg, []analysis.TextEdit{f.importEdit(pkg)}, f.free(pkg, false)
}

// free reports whether a name means the package, or can be made to mean it, in the whole function.
func (f *function) free(name string, imported bool) bool {
	if !imported && f.pass.Pkg.Scope().Lookup(name) != nil {
		return false
	}
	ok := true
	ast.Inspect(f.file, func(n ast.Node) bool {
		if id, isIdent := n.(*ast.Ident); isIdent && id.Name == name {
			if obj := f.pass.TypesInfo.Defs[id]; obj != nil && obj.Parent() != nil && obj.Parent() != f.pass.Pkg.Scope() {
				if _, isPkg := obj.(*types.PkgName); !isPkg {
					ok = false
				}
			}
		}
		return ok
	})
	return ok
}

// importEdit returns the edit that imports a package of the standard library.
func (f *function) importEdit(pkg string) analysis.TextEdit {
	quoted := strconv.Quote(pkg)
	for _, decl := range f.file.Decls {
		decl, ok := decl.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT || !decl.Lparen.IsValid() || len(decl.Specs) == 0 {
			continue
		}
		last := decl.Specs[0].(*ast.ImportSpec)
		if strings.Trim(last.Path.Value, `"`) > pkg {
			return insert(last.Pos(), quoted+"\n\t")
		}
		for _, spec := range decl.Specs[1:] {
			spec := spec.(*ast.ImportSpec)
			path := strings.Trim(spec.Path.Value, `"`)
			if path > pkg || strings.Contains(path, ".") {
				break
			}
			last = spec
		}
		return insert(last.End(), "\n\t"+quoted)
	}
	if len(f.file.Imports) > 0 {
		for _, decl := range f.file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.IMPORT {
				return insert(decl.Pos(), "import "+quoted+"\n")
			}
		}
	}
	return insert(f.file.Name.End(), "\n\nimport "+quoted)
}
