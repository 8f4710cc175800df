package editor_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/editor"
)

func TestWiden(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"s.m«[k]» = v", "s.m[k]"},
		{"n := s.f«(a, b)» + 1", "s.f(a, b)"},
		{"n := s.x.«y» + 1", "s.x.y"},
		{"n := «m» + 1", "m"},
		{"n = a «+ b»", "a + b"},
		{"n «= a + b»", "n = a + b"},
		{"f().\n\t\tg().\n\t\th«(x)»", "h(x)"},
		{"f(func() { s.g«()» })", "s.g()"},
		{"«for» range m { f() }", "for"},
		{"«return»", "return"},
	} {
		src := "package p\n\nfunc _() {\n\t" + test.line + "\n}\n"
		from := strings.Index(src, "«")
		to := strings.Index(src, "»") - len("«")
		src = strings.NewReplacer("«", "", "»", "").Replace(src)
		var got []analysis.Diagnostic
		pass := &analysis.Pass{Fset: token.NewFileSet(), Report: func(d analysis.Diagnostic) { got = append(got, d) }}
		file, err := parser.ParseFile(pass.Fset, "p.go", src, 0)
		if err != nil {
			t.Fatal(err)
		}
		pass.Files = []*ast.File{file}
		pos, end := file.FileStart+token.Pos(from), file.FileStart+token.Pos(to)
		a := &analysis.Analyzer{Run: func(pass *analysis.Pass) (any, error) {
			pass.Report(analysis.Diagnostic{Pos: pos, End: end, Related: []analysis.RelatedInformation{{Pos: pos, End: end}, {}}})
			return nil, nil
		}}
		editor.Widen(a)
		if _, err := a.Run(pass); err != nil || len(got) != 1 {
			t.Fatalf("%d reports, error %v", len(got), err)
		}
		d := got[0]
		for _, r := range [][2]token.Pos{{d.Pos, d.End}, {d.Related[0].Pos, d.Related[0].End}} {
			if text := src[r[0]-file.FileStart : r[1]-file.FileStart]; text != test.want {
				t.Errorf("%s: %q is underlined, want %q", test.line, text, test.want)
			}
		}
		if d.Related[1].Pos != token.NoPos {
			t.Errorf("%s: a position of another package is at %v", test.line, d.Related[1].Pos)
		}
	}
}
