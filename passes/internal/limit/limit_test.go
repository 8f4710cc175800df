package limit

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTable checks that the table has each constant of the package, with a reason.
func TestTable(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "limit.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("limit", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, l := range Table {
		c, ok := pkg.Scope().Lookup(l.Name).(*types.Const)
		if !ok {
			t.Errorf("%s is no constant", l.Name)
			continue
		}
		if v, _ := constant.Int64Val(c.Val()); int64(l.Max) != v || l.Of == "" || l.Reason == "" || seen[l.Name] {
			t.Errorf("the entry for %s = %d is %+v", l.Name, v, l)
		}
		seen[l.Name] = true
	}
	for _, name := range pkg.Scope().Names() {
		if _, ok := pkg.Scope().Lookup(name).(*types.Const); ok && !seen[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

var boundName = regexp.MustCompile(`^[mM]ax[A-Z]`)

// TestNoOthers checks that no other package of passes has bounds of its own: constants called
// max..., and loops that a number bounds.
func TestNoOthers(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == "limit") {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if boundName.MatchString(name.Name) && i < len(n.Values) && isNumber(n.Values[i]) {
						t.Errorf("%s: the bound %s is not in the table", fset.Position(name.Pos()), name.Name)
					}
				}
			case *ast.RangeStmt:
				if isNumber(n.X) && n.Key == nil {
					t.Errorf("%s: the bound of the loop is not in the table", fset.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isNumber reports whether an expression has numbers only.
func isNumber(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.INT
	case *ast.BinaryExpr:
		return isNumber(e.X) && isNumber(e.Y)
	}
	return false
}

// TestRecord checks that each excess is returned once, in order.
func TestRecord(t *testing.T) {
	var r Record
	r.Add("g", "Events")
	r.Add("f", "Regions")
	r.Add("g", "Events")
	want := []string{"f: more than 32 critical sections of a summary", "g: more than 400 accesses of a function"}
	if got := r.Take(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := r.Take(); got != nil {
		t.Errorf("again: %q", got)
	}
	(*Record)(nil).Add("f", "Events")
	if got := (*Record)(nil).Take(); got != nil {
		t.Errorf("nothing was recorded: %q", got)
	}
}
