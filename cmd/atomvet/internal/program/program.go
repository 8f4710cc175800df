// Package program loads packages with their syntax and types, to be instrumented.
//
// The packages are those that go test compiles for the patterns: of a package with tests in its
// own name the variant with these, which has all files. Dependencies come from export data, as
// the build cache has it, so that build tags, vendoring, workspaces and generated code are what
// the go command makes of them.
package program

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Program is a set of packages.
type Program struct {
	Fset  *token.FileSet
	Files []*File // in order of their names
	// Module is the path, and ModuleDir the directory, of the main module of the first package.
	Module, ModuleDir string
	// Refused has, for each package that cannot be instrumented, the reason.
	Refused []string
	// Tested are the import paths of the packages that have tests and that the patterns name.
	Tested []string
	// imports are the packages of the program that each tested package depends on.
	imports map[string]map[string]bool
}

// A File is a file of a package.
type File struct {
	Name   string
	Path   string // import path of the package
	Syntax *ast.File
	Source []byte
	Info   *types.Info
	Types  *types.Package
	Test   bool // a _test.go file
}

// PathOf returns the import path of the package of a file.
func (p *Program) PathOf(name string) string {
	i, ok := slices.BinarySearchFunc(p.Files, name, func(f *File, name string) int { return strings.Compare(f.Name, name) })
	if !ok {
		return ""
	}
	return p.Files[i].Path
}

// Load loads the packages that patterns name.
func Load(flags, patterns []string) (*Program, error) {
	fset := token.NewFileSet()
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedForTest |
			packages.NeedExportFile | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedModule,
		Fset: fset, BuildFlags: flags, Tests: true,
	}
	list, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, err
	}
	p := &Program{Fset: fset, imports: make(map[string]map[string]bool)}
	// A variant for tests has all files of its package, and comes first.
	slices.SortStableFunc(list, func(a, b *packages.Package) int { return len(b.Syntax) - len(a.Syntax) })
	seen := make(map[string]bool)
	for _, pkg := range list {
		if strings.HasSuffix(pkg.ID, ".test") {
			p.Tested = append(p.Tested, strings.TrimSuffix(pkg.PkgPath, ".test"))
			p.imports[strings.TrimSuffix(pkg.PkgPath, ".test")] = closure(pkg)
			continue
		}
		if err := p.add(pkg, seen); err != nil {
			return nil, err
		}
	}
	if len(p.Files) == 0 && len(p.Refused) == 0 {
		return nil, errors.New("no packages with Go files")
	}
	slices.SortFunc(p.Files, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(p.Refused)
	p.Refused = slices.Compact(p.Refused)
	slices.Sort(p.Tested)
	return p, nil
}

// closure returns the import paths of a package and of those that it depends on, as far as they
// are loaded.
func closure(pkg *packages.Package) map[string]bool {
	out := make(map[string]bool)
	done := make(map[*packages.Package]bool)
	work := []*packages.Package{pkg}
	for len(work) > 0 {
		next := work[len(work)-1]
		work = work[:len(work)-1]
		if done[next] {
			continue
		}
		done[next] = true
		out[path(next)] = true
		for _, i := range next.Imports {
			work = append(work, i)
		}
	}
	return out
}

// path returns the import path of a package without the mark of a variant. That of an external
// test is the one of the package, whose tests it has.
func path(pkg *packages.Package) string {
	if pkg.ForTest != "" {
		return strings.TrimSuffix(pkg.PkgPath, "_test")
	}
	return pkg.PkgPath
}

// add adds the files of a package that no variant has brought yet.
func (p *Program) add(pkg *packages.Package, seen map[string]bool) error {
	if pkg.Module != nil && pkg.Module.Main && p.ModuleDir == "" {
		p.Module, p.ModuleDir = pkg.Module.Path, pkg.Module.Dir
	}
	for _, e := range pkg.Errors {
		return fmt.Errorf("package %s: %v", pkg.PkgPath, e)
	}
	if reason := refusal(pkg); reason != "" {
		p.Refused = append(p.Refused, fmt.Sprintf("%s: %s", path(pkg), reason))
		return nil
	}
	for _, syntax := range pkg.Syntax {
		name := p.Fset.PositionFor(syntax.Package, false).Filename
		if seen[name] || !slices.Contains(pkg.GoFiles, name) {
			continue
		}
		seen[name] = true
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p.Files = append(p.Files, &File{
			Name: name, Path: path(pkg), Syntax: syntax, Source: source,
			Info: pkg.TypesInfo, Types: pkg.Types, Test: strings.HasSuffix(name, "_test.go"),
		})
	}
	return nil
}

// refusal returns why a package cannot be instrumented, "" if it can.
func refusal(pkg *packages.Package) string {
	switch {
	case pkg.Module == nil:
		return "it is in no module"
	case !pkg.Module.Main:
		return "it is not in the main module"
	}
	for _, name := range pkg.GoFiles {
		if !slices.Contains(pkg.CompiledGoFiles, name) {
			return "it uses cgo, in " + filepath.Base(name)
		}
	}
	return ""
}

// TestsOf returns the tested packages whose tests run code of one of the given packages.
func (p *Program) TestsOf(paths map[string]bool) []string {
	var out []string
	for _, t := range p.Tested {
		for path := range p.imports[t] {
			if paths[path] {
				out = append(out, t)
				break
			}
		}
	}
	return out
}
