package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/atomvet/atomvet/passes/editor"
)

// A Source gives access to the files that findings are in. A file that cannot be read has no
// lines and no functions.
type Source struct {
	files map[string]*file
}

// NewSource returns a Source that reads each file once, when it is needed.
func NewSource() *Source { return &Source{files: make(map[string]*file)} }

type file struct {
	lines  []string
	parsed bool
	fset   *token.FileSet
	syntax *ast.File
}

func (s *Source) file(name string) *file {
	f, ok := s.files[name]
	if !ok {
		f = new(file)
		if data, err := os.ReadFile(name); err == nil {
			f.lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		}
		s.files[name] = f
	}
	return f
}

// Lines returns the lines of a file.
func (s *Source) Lines(name string) []string { return s.file(name).lines }

// Line returns the line of a position, or "".
func (s *Source) Line(p Position) string {
	if lines := s.Lines(p.File); 0 < p.Line && p.Line <= len(lines) {
		return strings.TrimSuffix(lines[p.Line-1], "\r")
	}
	return ""
}

// CodePoints returns the column of a position in code points, from 1.
func (s *Source) CodePoints(p Position) int {
	line := s.Line(p)
	if p.Column <= 0 || p.Column-1 > len(line) {
		return p.Column
	}
	return utf8.RuneCountInString(line[:p.Column-1]) + 1
}

// parse returns a file with its syntax, as far as it can be parsed.
func (s *Source) parse(name string) *file {
	f := s.file(name)
	if !f.parsed {
		f.parsed, f.fset = true, token.NewFileSet()
		f.syntax, _ = parser.ParseFile(f.fset, "", strings.Join(f.lines, "\n"), parser.SkipObjectResolution)
	}
	return f
}

// Start returns where the syntax begins that a position stands for: see [editor.Start].
func (s *Source) Start(p Position) Position {
	f := s.parse(p.File)
	if f.syntax == nil || p.Line <= 0 || p.Line > len(f.lines) || p.Column <= 0 || p.Column > len(f.lines[p.Line-1]) {
		return p
	}
	tok := f.fset.File(f.syntax.FileStart)
	if p.Line > tok.LineCount() {
		return p
	}
	at := editor.Start(f.fset, f.syntax, tok.LineStart(p.Line)+token.Pos(p.Column-1))
	p.Column = tok.PositionFor(at, false).Column
	return p
}

// Function returns the declaration of a function that encloses a position, or nil.
func (s *Source) Function(p Position) *ast.FuncDecl {
	f := s.parse(p.File)
	if f.syntax == nil {
		return nil
	}
	for _, d := range f.syntax.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && f.fset.Position(d.Pos()).Line <= p.Line && p.Line <= f.fset.Position(d.End()).Line {
			return d
		}
	}
	return nil
}

// FunctionName returns the name of the function that encloses a position, as f, T.f or
// (*T).f, or "".
func (s *Source) FunctionName(p Position) string {
	if d := s.Function(p); d != nil {
		return FuncName(d)
	}
	return ""
}

// FuncName returns the name of a function, as f, T.f or (*T).f.
func FuncName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if _, ok := t.(*ast.StarExpr); ok {
		return "(*" + TypeName(t) + ")." + d.Name.Name
	}
	return TypeName(t) + "." + d.Name.Name
}

// TypeName returns the name of a type, without pointers and type arguments, or "" if it has
// none.
func TypeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return TypeName(t.X)
	case *ast.ParenExpr:
		return TypeName(t.X)
	case *ast.IndexExpr:
		return TypeName(t.X)
	case *ast.IndexListExpr:
		return TypeName(t.X)
	case *ast.SelectorExpr:
		return TypeName(t.X) + "." + t.Sel.Name
	}
	return ""
}
