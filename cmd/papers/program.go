package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// A program is one directory of a suite.
type program struct {
	suite *suite
	name  string
	file  string // its source, relative to the module
	lines []string
	funcs []function

	expectations
	data   []byte     // of expect.json
	broken *deviation // what is wrong with expect.json, if it could not be read

	reports map[string][]report // by mode
}

// A function is a declaration and its lines.
type function struct {
	name        string
	first, last int
}

func (p *program) dir() string        { return path.Join(papersDir, p.suite.name, p.name) }
func (p *program) expectPath() string { return path.Join(p.dir(), "expect.json") }

func loadProgram(root string, s *suite, name string) (*program, error) {
	p := &program{suite: s, name: name}
	sources, err := filepath.Glob(filepath.Join(root, p.dir(), "*.go"))
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		if p.file != "" {
			// An expectation is a line without the name of a file.
			return nil, fmt.Errorf("%s has more than one source file", p.dir())
		}
		p.file = path.Join(p.dir(), filepath.Base(source))
		if err := p.readSource(source); err != nil {
			return nil, err
		}
	}
	if p.file == "" {
		return nil, fmt.Errorf("%s has no source file", p.dir())
	}

	p.data, err = os.ReadFile(filepath.Join(root, p.expectPath()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.broken = &deviation{p.expectPath(), 1, "the program has no expect.json"}
	case err != nil:
		return nil, err
	default:
		p.parse()
	}
	return p, nil
}

func (p *program) readSource(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	p.lines = strings.Split(string(data), "\n")
	p.funcs, err = functions(name, data)
	return err
}

func (p *program) parse() {
	if err := repo.Decode(p.data, &p.expectations); err != nil {
		p.broken = &deviation{p.expectPath(), errorLine(p.data, err), err.Error()}
	}
}

// functions returns the functions that a file declares.
func functions(name string, src []byte) ([]function, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []function
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			out = append(out, function{functionName(f), fset.Position(f.Pos()).Line, fset.Position(f.End()).Line})
		}
	}
	return out, nil
}

// functionName names a function as (*T).f, (T).f or f.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	star := ""
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		star, t = "*", p.X
	}
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
		t = generic.X
	}
	name := "?"
	if id, ok := t.(*ast.Ident); ok {
		name = id.Name
	}
	return fmt.Sprintf("(%s%s).%s", star, name, f.Name.Name)
}

// function returns the name of the function with a line.
func (p *program) function(line int) string {
	for _, f := range p.funcs {
		if f.first <= line && line <= f.last {
			return f.name
		}
	}
	return "no function"
}

// accesses reports whether there may be an access to shared memory in a line, as far
// as its text tells. A violation whose lines have moved may be off by one.
func (p *program) accesses(line int) bool {
	if line < 1 || line > len(p.lines) {
		return false
	}
	text, _, _ := strings.Cut(p.lines[line-1], "//")
	text = strings.Trim(text, " \t{}")
	return text != "" && text != "else" && text != "pause()" && !strings.HasPrefix(text, "defer ") && !lockCall.MatchString(text)
}

var lockCall = regexp.MustCompile(`^\S+\.R?(Lock|Unlock)\(\)$`)

// marks returns the violations that the comment behind a statement names: those
// that have an access there.
func marks(line string) []string {
	text, comment, _ := strings.Cut(line, "//")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return mark.FindAllString(comment, -1)
}

var mark = regexp.MustCompile(`\bAV\d+\b`)

// violation returns the violation with an ID, nil if there is none.
func (p *program) violation(id string) *violation {
	for i := range p.Violations {
		if p.Violations[i].ID == id {
			return &p.Violations[i]
		}
	}
	return nil
}
