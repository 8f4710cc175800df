package anchor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"testing"
)

// TestFileOf finds files by what is declared in them.
func TestFileOf(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{
		"type.go":   "package p\n\ntype T struct{}\n\ntype A = T\n",
		"method.go": "package p\n\nfunc (*T) M() {}\n",
		"func.go":   "package p\n\nfunc F() {}\n",
		"init.go":   "package p\n\nfunc init() {}\n",
	} {
		f, err := parser.ParseFile(fset, filepath.Join("dir", name), text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := new(types.Config).Check("p", fset, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{
		"type.go":   filepath.Join("dir", "type.go"),
		"method.go": filepath.Join("dir", "method.go"),
		"func.go":   filepath.Join("dir", "func.go"),
		"init.go":   "", // declares no name
		"other.go":  "",
	} {
		if got := FileOf(fset, pkg, base); got != want {
			t.Errorf("FileOf(%s) = %q, want %q", base, got, want)
		}
	}
	if got := FileOf(fset, nil, "type.go"); got != "" {
		t.Errorf("FileOf without a package = %q", got)
	}
}

// TestPlace: no position has no place, and the place of one is that before //line.
func TestPlace(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", "package p\n\n//line q.go:70\nvar X int\n", parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if got := At(fset, token.NoPos); got != nil {
		t.Errorf("no position is at %+v", got)
	}
	if got := At(fset, f.Decls[0].Pos()); got == nil || *got != (Place{"p.go", 4, 1}) {
		t.Errorf("X is at %+v", got)
	}
}
