package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An identity tells a report from others without its line. The line changes whenever
// code is added above it.
type identity struct {
	File     string `json:"file"`           // relative to the checkout, with slashes
	Func     string `json:"func,omitempty"` // the declaration that encloses the report
	Category string `json:"category"`
	Location string `json:"location,omitempty"` // that the message names first
	Text     string `json:"text,omitempty"`     // of the source line
}

// byLine reports whether there is only the line to tell a label by: nobody has looked
// up its function in a checkout.
func (id identity) byLine() bool { return id.Func == "" }

func compareIdentities(a, b identity) int {
	return cmp.Or(
		cmp.Compare(a.Func, b.Func),
		cmp.Compare(a.Location, b.Location),
		cmp.Compare(a.Text, b.Text),
	)
}

var (
	pairOfLocations = regexp.MustCompile(`^(\S+) at line \d+ and (\S+) here `)
	firstLocation   = regexp.MustCompile(`^(\S+) (?:is|was) `)
)

// locationOf returns the location that a message is about, or the two locations of a
// split access. It is empty if the message begins in another way.
func locationOf(category, message string) string {
	message = strings.TrimPrefix(message, category+": ")
	if m := pairOfLocations.FindStringSubmatch(message); m != nil {
		return m[1] + " and " + m[2]
	}
	if m := firstLocation.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// sources are the files of a checkout, which are read when they are asked for.
type sources struct {
	dir   string
	files map[string]*source
}

// A source is a file. Its fields are empty if it cannot be read or is not Go.
type source struct {
	lines []string
	decls []declaration
}

// A declaration is one of a function, or one at package level that may have function
// literals.
type declaration struct {
	name        string
	first, last int // lines
}

func newSources(dir string) *sources { return &sources{dir: dir, files: make(map[string]*source)} }

func (s *sources) file(name string) *source {
	src, ok := s.files[name]
	if !ok {
		src = readSource(s.path(name))
		s.files[name] = src
	}
	return src
}

func (s *sources) path(name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, name)
}

func readSource(name string) *source {
	src := new(source)
	data, err := os.ReadFile(name)
	if err != nil {
		return src
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		return src
	}
	src.lines = strings.Split(string(data), "\n")
	for _, decl := range file.Decls {
		// The lines are those of the file, and so are those that atomvet prints, unless
		// there are line directives: then nothing is found there, or another line.
		src.add(decl, func(pos token.Pos) int { return fset.PositionFor(pos, false).Line })
	}
	return src
}

func (src *source) add(decl ast.Decl, line func(token.Pos) int) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		src.decls = append(src.decls, declaration{funcName(decl), line(decl.Pos()), line(decl.End())})
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if spec, ok := spec.(*ast.ValueSpec); ok {
				src.decls = append(src.decls, declaration{"var " + spec.Names[0].Name, line(spec.Pos()), line(spec.End())})
			}
		}
	}
}

// funcName returns the name of a function as messages of atomvet show it: (*T).m, T.m
// or f. A function literal belongs to the declaration that it is in, as the number of a
// literal changes with every other one.
func funcName(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return decl.Name.Name
	}
	recv, pointer := ast.Unparen(decl.Recv.List[0].Type), false
	if star, ok := recv.(*ast.StarExpr); ok {
		recv, pointer = ast.Unparen(star.X), true
	}
	switch generic := recv.(type) {
	case *ast.IndexExpr:
		recv = generic.X
	case *ast.IndexListExpr:
		recv = generic.X
	}
	name := "?"
	if id, ok := recv.(*ast.Ident); ok {
		name = id.Name
	}
	if pointer {
		name = "(*" + name + ")"
	}
	return name + "." + decl.Name.Name
}

// text returns a line without the space around it.
func (src *source) text(line int) string {
	if line < 1 || line > len(src.lines) {
		return ""
	}
	return strings.TrimSpace(src.lines[line-1])
}

// enclosing returns the name of the declaration that a line is in.
func (src *source) enclosing(line int) string {
	for _, d := range src.decls {
		if d.first <= line && line <= d.last {
			return d.name
		}
	}
	return ""
}

// identify fills in what the source tells about a report or a label.
func (s *sources) identify(r *report) {
	src := s.file(r.File)
	if name := src.enclosing(r.Line); name != "" {
		r.Func, r.Text = name, src.text(r.Line)
	}
}
