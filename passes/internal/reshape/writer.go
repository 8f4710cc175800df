package reshape

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
)

// A Package is a package that is to be rewritten.
type Package struct {
	Fset   *token.FileSet
	Files  []*ast.File
	Types  *types.Package
	Info   *types.Info
	Source func(file string) ([]byte, error) // the text of a file
}

// prefix begins the names that shapes introduce.
const prefix = "re0"

// Original returns the name that something had which was renamed, or the function whose body
// another one has, also within a larger text.
func Original(name string) string { return strings.ReplaceAll(name, prefix, "") }

// A writer has the changes of one package.
type writer struct {
	*Package
	source map[*ast.File]string
	edits  map[*ast.File][]edit
	files  map[string][]byte
	places int
	names  int
}

func newWriter(p *Package) (*writer, error) {
	w := &writer{Package: p, source: make(map[*ast.File]string), edits: make(map[*ast.File][]edit), files: make(map[string][]byte)}
	for _, f := range p.Files {
		src, err := p.Source(w.name(f))
		if err != nil {
			return nil, err
		}
		w.source[f] = string(src)
	}
	return w, nil
}

// An edit replaces a part of a file.
type edit struct {
	start, end int
	text       string
}

// apply returns a text with edits, which must not overlap.
func apply(src string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(src[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.WriteString(src[at:])
	return out.String()
}

func (w *writer) name(f *ast.File) string { return w.Fset.File(f.FileStart).Name() }

func (w *writer) offset(pos token.Pos) int { return w.Fset.File(pos).Offset(pos) }

// replace replaces the text between two positions of a file.
func (w *writer) replace(f *ast.File, from, to token.Pos, text string) {
	w.edits[f] = append(w.edits[f], edit{w.offset(from), w.offset(to), text})
}

// add adds declarations at the end of a file.
func (w *writer) add(f *ast.File, decls string) { w.replace(f, f.FileEnd, f.FileEnd, "\n"+decls) }

// between returns the text between two positions of a file.
func (w *writer) between(f *ast.File, from, to token.Pos) string {
	return w.source[f][w.offset(from):w.offset(to)]
}

func (w *writer) text(f *ast.File, n ast.Node) string { return w.between(f, n.Pos(), n.End()) }

// fresh returns a name that the package does not have.
func (w *writer) fresh() string {
	w.names++
	return fmt.Sprintf("%sv%d", prefix, w.names)
}

// functions returns the functions of a file that have a body.
func functions(f *ast.File) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			out = append(out, fn)
		}
	}
	return out
}

// isGeneric reports whether a function, or the type that it is a method of, has type parameters.
func (w *writer) isGeneric(fn *ast.FuncDecl) bool {
	sig := w.Info.Defs[fn.Name].Type().(*types.Signature)
	return sig.TypeParams().Len()+sig.RecvTypeParams().Len() > 0
}

// typeText returns a type as it is written in a file. ok is false if the file lacks an import for it,
// or if the type is declared in a function.
func (w *writer) typeText(f *ast.File, t types.Type) (text string, ok bool) {
	ok = true
	text = types.TypeString(t, func(p *types.Package) string {
		if p == w.Types {
			return ""
		}
		for _, spec := range f.Imports {
			if name := w.Info.PkgNameOf(spec); name != nil && name.Imported() == p && name.Name() != "_" && name.Name() != "." {
				return name.Name()
			}
		}
		ok = false
		return p.Name()
	})
	return text, ok && !w.isLocal(t, 0)
}

// shadowed reports whether a name in the text of a type means something else at a position.
func (w *writer) shadowed(text string, pos token.Pos) bool {
	scope := w.Types.Scope().Innermost(pos)
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if _, obj := scope.LookupParent(name, pos); obj != nil {
			if _, isVar := obj.(*types.Var); isVar {
				return true
			}
		}
	}
	return false
}

// isLocal reports whether a type mentions one that is declared in a function, or that has no name in
// other functions.
func (w *writer) isLocal(t types.Type, depth int) bool {
	if depth > 8 {
		return true
	}
	inside := func(list ...types.Type) bool {
		return slices.ContainsFunc(list, func(t types.Type) bool { return w.isLocal(t, depth+1) })
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if inside(arg) {
				return true
			}
		}
		return t.Obj().Pkg() != nil && t.Obj().Parent() != t.Obj().Pkg().Scope()
	case *types.Pointer:
		return inside(t.Elem())
	case *types.Slice:
		return inside(t.Elem())
	case *types.Array:
		return inside(t.Elem())
	case *types.Chan:
		return inside(t.Elem())
	case *types.Map:
		return inside(t.Key(), t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			if inside(v.Type()) {
				return true
			}
		}
		for v := range t.Results().Variables() {
			if inside(v.Type()) {
				return true
			}
		}
		return false
	case *types.Basic:
		return t.Info()&types.IsUntyped != 0 || t.Kind() == types.Invalid
	case *types.Struct:
		return t.NumFields() > 0
	case *types.Interface:
		return t.NumMethods() > 0
	}
	return true
}
