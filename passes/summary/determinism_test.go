package summary

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A program is a few packages of testdata, with the facts of those that have
// been analyzed.
type program struct {
	fset  *token.FileSet
	std   types.Importer
	pkgs  map[string]*types.Package
	facts map[*types.Package]*fact.PackageSummary
}

// newProgram returns a program without packages.
func newProgram() *program {
	return &program{
		fset:  token.NewFileSet(),
		std:   importer.Default(),
		pkgs:  make(map[string]*types.Package),
		facts: make(map[*types.Package]*fact.PackageSummary),
	}
}

func (p *program) Import(path string) (*types.Package, error) {
	if pkg := p.pkgs[path]; pkg != nil {
		return pkg, nil
	}
	return p.std.Import(path)
}

// load builds a package of testdata. Those that it imports must have been
// loaded before.
func (p *program) load(t *testing.T, path string) *analysis.Pass {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "src", path, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no package %s: %v", path, err)
	}
	var files []*ast.File
	for _, name := range names {
		files = append(files, p.parse(t, name, nil))
	}
	return p.build(t, path, files)
}

// parse parses a file, or the source if it is given.
func (p *program) parse(t *testing.T, name string, source any) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(p.fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// build builds a package.
func (p *program) build(t *testing.T, path string, files []*ast.File) *analysis.Pass {
	t.Helper()
	pkg := types.NewPackage(path, path)
	ssapkg, info, err := ssautil.BuildPackage(&types.Config{Importer: p}, p.fset, pkg, files, 0)
	if err != nil {
		t.Fatal(err)
	}
	p.pkgs[path] = pkg
	var funcs []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		funcs = append(funcs, fn)
		for _, lit := range fn.AnonFuncs {
			add(lit)
		}
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				add(ssapkg.Prog.FuncValue(info.Defs[decl.Name].(*types.Func)))
			}
		}
	}
	return &analysis.Pass{
		Analyzer:  Analyzer,
		Fset:      p.fset,
		Files:     files,
		Pkg:       pkg,
		TypesInfo: info,
		Report:    func(analysis.Diagnostic) {},
		ResultOf: map[*analysis.Analyzer]any{
			buildssa.Analyzer: &buildssa.SSA{Pkg: ssapkg, SrcFuncs: funcs},
		},
		ImportPackageFact: func(pkg *types.Package, into analysis.Fact) bool {
			f := p.facts[pkg]
			if f != nil {
				*into.(*fact.PackageSummary) = *f
			}
			return f != nil
		},
		ExportPackageFact: func(f analysis.Fact) { p.facts[pkg] = f.(*fact.PackageSummary) },
	}
}

// TestSameFacts: analyzing a package again yields the same fact, byte for byte.
// What is computed on the way, in maps, has no order.
func TestSameFacts(t *testing.T) {
	p := newProgram()
	for _, path := range []string{"store", "client", "split", "wrapper", "perkey", "closures", "recursion", "ifaces", "regions", "guards", "chans"} {
		pass := p.load(t, path)
		var want []byte
		for i := range 10 {
			delete(p.facts, pass.Pkg)
			result, err := run(pass)
			if err != nil {
				t.Fatal(err)
			}
			if failures := result.(*Package).Failures(); len(failures) > 0 {
				t.Fatalf("%s: %s", path, failures[0])
			}
			exported := p.facts[pass.Pkg]
			if exported == nil {
				t.Fatalf("%s has no fact", path)
			}
			if i == 0 {
				want = exported.Data
			} else if !bytes.Equal(exported.Data, want) {
				t.Errorf("%s has another fact the next time", path)
				break
			}
		}
	}
}

// TestBadFact: a package whose dependency has a fact that cannot be read is
// analyzed all the same, and says so.
func TestBadFact(t *testing.T) {
	p := newProgram()
	pass := p.load(t, "store")
	if _, err := run(pass); err != nil {
		t.Fatal(err)
	}
	good := p.facts[pass.Pkg].Data
	client := p.load(t, "client")
	for name, data := range map[string][]byte{
		"empty":           nil,
		"truncated":       good[:len(good)/2],
		"another version": append([]byte{fact.FormatVersion + 1}, good[1:]...),
		"failure":         fact.EncodeFailure(),
	} {
		p.facts[pass.Pkg] = &fact.PackageSummary{Data: data}
		result, err := run(client)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		pkg := result.(*Package)
		if failures := pkg.Failures(); len(failures) == 0 || len(pkg.Funcs) == 0 {
			t.Errorf("%s: %d failures reported, %d functions analyzed", name, len(failures), len(pkg.Funcs))
		}
	}
}

// TestLostFact: a package without a fact is a failure if the driver has facts of all
// packages, and none if it has not. What is analyzed without finding anything has a fact.
func TestLostFact(t *testing.T) {
	defer func() { complete = false }()
	p := newProgram()
	pass := p.load(t, "store")
	if _, err := run(pass); err != nil {
		t.Fatal(err)
	}
	store := p.facts[pass.Pkg]
	client := p.load(t, "client")
	for _, imp := range client.Pkg.Imports() {
		p.facts[imp] = &fact.PackageSummary{Data: fact.EncodePackage(nil, nil, nil)}
	}
	for _, test := range []struct {
		name     string
		complete bool
		fact     *fact.PackageSummary
		failures int
	}{
		{"all facts", true, store, 0},
		{"lost", true, nil, 1},
		{"never had", false, nil, 0},
	} {
		complete = test.complete
		p.facts[pass.Pkg] = test.fact
		result, err := run(client)
		if err != nil {
			t.Fatal(err)
		}
		if failures := result.(*Package).Failures(); len(failures) != test.failures || test.failures > 0 && !strings.Contains(failures[0], "package store") {
			t.Errorf("%s: failures %q", test.name, failures)
		}
	}
	empty := &analysis.Pass{}
	*empty = *pass
	empty.ResultOf = map[*analysis.Analyzer]any{buildssa.Analyzer: &buildssa.SSA{Pkg: pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA).Pkg}}
	p.facts[pass.Pkg] = nil
	if _, err := run(empty); err != nil || p.facts[pass.Pkg] == nil {
		t.Errorf("a package without functions has no fact: %v", err)
	}
}
