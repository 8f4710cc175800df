// Package instrument rewrites programs so that they report their accesses to shared variables.
//
// The rewritten files are an overlay for the go command: nothing on disk changes, and as all
// edits are within lines, positions in messages and stacks stay right. An access s.n becomes
// (*atomvetrt.R(&s.n, 7)), which works for reads and for assignments. What the calls do is in
// package atomvetrt, which the overlay adds to the main module.
//
// Not seen are: accesses in other modules, through pointers to a variable or to an element that
// were taken elsewhere, and to variables that have no address, such as fields of a struct that is
// an element of a map. What is not seen is missed; it is never reported.
package instrument

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

//go:embed atomvetrt/*.go
var support embed.FS

const supportName = "atomvetrt"

// linkedOnly begins the files of the support package that are for instrumented programs alone.
const linkedOnly = "//go:build atomvet_direct\n"

// An Instrumenter rewrites one program.
type Instrumenter struct {
	program  *program.Program
	files    []*file
	config   atomvetrt.Config
	packages map[string]bool
	tracked  map[report.Object]bool // nil for all
	objects  map[report.Object]int
	// containers are the tracked variables that have a map or a slice, by type.
	containers map[string]report.Object
	// Added are files to add to the program, by name.
	Added map[string][]byte
}

// A file is a file that is rewritten.
type file struct {
	*program.File
	in     *Instrumenter
	parent map[ast.Node]ast.Node
	edits  []edit
	sites  []*site
	fresh  map[*types.Var]bool
	// local are the names of the shadows of local variables, and uses the sites of those.
	local map[*types.Var]string
	uses  []*site
}

func newInstrumenter(p *program.Program) *Instrumenter {
	in := &Instrumenter{
		program: p, packages: make(map[string]bool), objects: make(map[report.Object]int),
		containers: make(map[string]report.Object), Added: make(map[string][]byte),
	}
	for _, f := range p.Files {
		in.packages[f.Types.Path()] = true
		in.files = append(in.files, &file{File: f, in: in, parent: parents(f.Syntax)})
	}
	return in
}

// parents returns the parent of each node.
func parents(root ast.Node) map[ast.Node]ast.Node {
	out := make(map[ast.Node]ast.Node)
	var stack []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			out[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
	return out
}

func (f *file) track(o report.Object) bool {
	if f.in.tracked == nil {
		return f.in.packages[o.Package]
	}
	return f.in.tracked[o]
}

func (f *file) wrap(n ast.Node, pre, post string, l level) {
	base := f.in.program.Fset.File(f.Syntax.FileStart).Base()
	f.edits = append(f.edits, edit{int(n.Pos()) - base, int(n.End()) - base, pre, post, l})
}

// insert puts text before a node.
func (f *file) insert(n ast.Node, text string) {
	base := f.in.program.Fset.File(f.Syntax.FileStart).Base()
	at := int(n.Pos()) - base
	f.edits = append(f.edits, edit{at, at, text, "", statement})
}

// after puts text after a node.
func (f *file) after(n ast.Node, text string) {
	base := f.in.program.Fset.File(f.Syntax.FileStart).Base()
	at := int(n.End()) - base
	f.edits = append(f.edits, edit{at, at, text, "", statement})
}

// enter puts text at the beginning of a body.
func (f *file) enter(body *ast.BlockStmt, text string) {
	base := f.in.program.Fset.File(f.Syntax.FileStart).Base()
	at := int(body.Lbrace) + 1 - base
	f.edits = append(f.edits, edit{at, at, text, "", statement})
}

// object returns the number of a variable.
func (in *Instrumenter) object(o report.Object) int {
	o.Key = false
	i, ok := in.objects[o]
	if !ok {
		i = len(in.config.Objects)
		in.objects[o] = i
		in.config.Objects = append(in.config.Objects, o.String())
	}
	return i
}

// function returns the body of the innermost function with a node, or nil.
func (f *file) function(n ast.Node) *ast.BlockStmt {
	for ; n != nil; n = f.parent[n] {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Body
		case *ast.FuncLit:
			return n.Body
		}
	}
	return nil
}

// tests marks the beginning and the end of tests.
func (f *file) tests() {
	for _, d := range f.Syntax.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Recv != nil || d.Body == nil || d.Name.Name == "TestMain" {
			continue
		}
		for _, prefix := range []string{"Test", "Fuzz", "Example", "Benchmark"} {
			if strings.HasPrefix(d.Name.Name, prefix) {
				f.enter(d.Body, fmt.Sprintf("defer atomvetrt.T(%q)(); ", d.Name.Name))
			}
		}
	}
}

// An Overlay is an instrumented program, in a directory of its own.
type Overlay struct {
	File    string // for the flag -overlay
	Config  atomvetrt.Config
	dir     string
	Changed map[string]bool // import paths of the packages with accesses
	Tests   []string        // import paths of the packages whose tests make accesses
}

// write writes the overlay to a directory.
func (in *Instrumenter) write(dir string) (*Overlay, error) {
	o := &Overlay{File: filepath.Join(dir, "overlay.json"), dir: dir, Config: in.config, Changed: make(map[string]bool)}
	replace := make(map[string]string)
	put := func(target, name string, data []byte) error {
		replace[target] = filepath.Join(dir, name)
		return os.WriteFile(replace[target], data, 0o666)
	}
	importing := fmt.Sprintf("; import atomvetrt %q", path.Join(in.program.Module, supportName))
	for _, f := range in.files {
		if len(f.edits) > 0 {
			o.Changed[f.Path] = true
		}
	}
	o.Tests = in.program.TestsOf(o.Changed)
	for i, f := range in.files {
		if f.Test && slices.Contains(o.Tests, f.Path) {
			f.tests()
		}
		if len(f.edits) == 0 {
			continue
		}
		f.after(f.Syntax.Name, importing)
		if err := put(f.Name, fmt.Sprintf("%05d_%s", i, filepath.Base(f.Name)), apply(f.Source, f.edits)); err != nil {
			return nil, err
		}
	}
	n := 0
	for name, data := range in.Added {
		n++
		if err := put(name, fmt.Sprintf("added%d_%s", n, filepath.Base(name)), data); err != nil {
			return nil, err
		}
	}
	entries, err := support.ReadDir(supportName)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		data, err := support.ReadFile(path.Join(supportName, e.Name()))
		if err != nil {
			return nil, err
		}
		data = bytes.TrimPrefix(data, []byte(linkedOnly))
		if err := put(filepath.Join(in.program.ModuleDir, supportName, e.Name()), supportName+"_"+e.Name(), data); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return o, os.WriteFile(o.File, data, 0o666)
}
