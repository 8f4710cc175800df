package reshape

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// reverse puts the functions of each file into the opposite order. Functions init run in the order of
// their text, and stay.
func (w *writer) reverse() {
	for _, f := range w.Files {
		fns := movable(f)
		for i, fn := range fns {
			if other := fns[len(fns)-1-i]; other != fn {
				from, to := fn.Pos(), fn.End()
				if fn.Doc != nil {
					from = fn.Doc.Pos()
				}
				w.replace(f, from, to, w.declaration(f, other))
				w.places++
			}
		}
	}
}

func movable(f *ast.File) []*ast.FuncDecl {
	return slices.DeleteFunc(functions(f), func(fn *ast.FuncDecl) bool { return fn.Recv == nil && fn.Name.Name == "init" })
}

// declaration returns the text of a function with its comment.
func (w *writer) declaration(f *ast.File, fn *ast.FuncDecl) string {
	if fn.Doc != nil {
		return w.between(f, fn.Doc.Pos(), fn.End())
	}
	return w.text(f, fn)
}

// split moves every other function of a file into a new one.
func (w *writer) split() {
	for _, f := range w.Files {
		if strings.Contains(w.source[f], "//go:") || strings.Contains(w.source[f], `import "C"`) {
			continue
		}
		var moved []*ast.FuncDecl
		for i, fn := range movable(f) {
			if i%2 == 0 {
				moved = append(moved, fn)
			}
		}
		if len(moved) == 0 {
			continue
		}
		w.places += len(moved)
		w.move(f, moved)
	}
}

// usesOf reports whether an imported package is used within some functions of a file, and whether elsewhere
// in it.
func (w *writer) usesOf(f *ast.File, name *types.PkgName, fns []*ast.FuncDecl) (within, outside bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name != nil && w.Info.Uses[id] == name {
			in := slices.ContainsFunc(fns, func(fn *ast.FuncDecl) bool { return fn.Pos() <= id.Pos() && id.End() <= fn.End() })
			within, outside = within || in, outside || !in
		}
		return true
	})
	return within, outside
}

// move moves functions into a new file, with the imports that they need.
func (w *writer) move(f *ast.File, moved []*ast.FuncDecl) {
	var text strings.Builder
	text.WriteString("package " + f.Name.Name + "\n\n")
	for _, spec := range f.Imports {
		there, here := w.usesOf(f, w.Info.PkgNameOf(spec), moved)
		if there {
			text.WriteString("import " + w.text(f, spec) + "\n")
		}
		if there && !here {
			w.replace(f, spec.Pos(), spec.End(), "_ "+spec.Path.Value)
		}
	}
	for _, fn := range moved {
		text.WriteString("\n" + w.declaration(f, fn) + "\n")
		from := fn.Pos()
		if fn.Doc != nil {
			from = fn.Doc.Pos()
		}
		w.replace(f, from, fn.End(), "")
	}
	name := w.name(f)
	test := strings.HasSuffix(name, "_test.go")
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".go"), "_test")
	base = prefix + strings.ReplaceAll(base, "_", "")
	if test {
		base += "_test"
	}
	w.files[filepath.Join(filepath.Dir(name), base+".go")] = []byte(text.String())
}
