package finding_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

// TestExtent: a report without an end, and a note, end where the syntax ends that their
// position stands for, on the same line.
func TestExtent(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"m«[»k] = v", "[k]"},
		{"f«(»a, b).c()", "(a, b)"},
		{"x.«y» = 1", "y"},
		{"n := «m» + 1", "m"},
		{"n = a «+» b", "+ b"},
		{"n «=» a + b", "= a + b"},
		{"«for» i := range m { f(i) }", "for i := range m { f(i) }"},
		{"f«(»a, func() {\n\tg()\n})", "(a, func()"},
		{"«go» func() {\n\tg()\n}()", "go func()"},
		{"«return»", "return"},
	} {
		src := "package p\n\nfunc _() {\n\t" + test.line + "\n}\n"
		at := strings.Index(src, "«")
		src = strings.NewReplacer("«", "", "»", "").Replace(src)
		pass, got := newPass(t, src)
		pos := pass.Files[0].FileStart + token.Pos(at)
		finding.Report(pass, finding.Low, []finding.Finding{{
			Pos: pos, Category: "c", Message: "m", Notes: []finding.Note{{Pos: pos, Message: "n"}},
		}})
		if len(*got) != 1 {
			t.Fatalf("%d reports, want 1", len(*got))
		}
		d := (*got)[0]
		for _, end := range []token.Pos{d.End, d.Related[0].End} {
			if !end.IsValid() {
				t.Errorf("%s: no end", test.line)
			} else if text := src[at : end-pass.Files[0].FileStart]; text != test.want {
				t.Errorf("%s: the report is about %q, want %q", test.line, text, test.want)
			}
		}
	}
}

// TestAround: the nodes around a position are the same whether the search begins at the file or
// at the declaration.
func TestAround(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "extent_test.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	around := func(root ast.Node, pos token.Pos) (inner ast.Node) {
		ast.Inspect(root, func(n ast.Node) bool {
			if n == nil || pos < n.Pos() || n.End() <= pos {
				return false
			}
			inner = n
			return true
		})
		return inner
	}
	inDeclaration := 0
	for pos := file.FileStart; pos < file.FileEnd; pos++ {
		root := finding.Around(file, pos)
		if root != ast.Node(file) {
			inDeclaration++
		}
		if got, want := around(root, pos), around(file, pos); got != want {
			t.Errorf("%v: %T, want %T", fset.Position(pos), got, want)
		}
	}
	if inDeclaration == 0 {
		t.Error("no position is in a declaration")
	}
}
