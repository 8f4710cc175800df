// Package corpus runs detectors over the collections of code by which they are measured,
// in one process.
//
// A driver such as go vet analyzes a package once, with one configuration, and keeps only
// facts. A measurement runs the same code several times: with another confidence, with
// one rule left out, with the flags of a paper. Nearly all the work is common to these
// runs: to load the packages, to build SSA, to compute what the detectors require. A
// [Loader] does it once; the [Corpus] that it returns keeps the results, and [Corpus.Run]
// passes them to the detectors for each [Config].
//
// Packages import each other as they do under go vet: the types of an imported package
// come from export data if it is not in the corpus, and the results of its analysis are
// facts. For the packages outside of a corpus, mostly of the standard library, the facts
// are computed from source when they are first needed, and kept by the Loader for all its
// corpora. (The package golang.org/x/tools/go/analysis/checker would compute them anew
// for each corpus.)
package corpus

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// A Corpus is code that detectors can run over, with the results of the analyzers that
// they require.
type Corpus struct {
	Name string // of the source
	// Broken are the errors of the packages that could not be loaded. These packages are
	// left out, and so are their importers.
	Broken []error

	dir      string
	packages []*unit
}

// A unit is one package, or its variant with tests that replaces it.
type unit struct {
	pkg      *packages.Package
	reported bool // false if the unit is loaded for its facts only
	nogo     bool // as Loader.Nogo
	results  map[*analysis.Analyzer]any
	facts    *packageFacts
}

// A Function is a declaration of a corpus.
type Function struct {
	Package, File string // File is relative to the directory of the corpus, with slashes
	Name          string // as f, (T).f or (*T).f
}

// Functions returns the functions that the corpus declares, including those of tests.
func (c *Corpus) Functions() []Function {
	var out []Function
	for _, u := range c.packages {
		for _, file := range u.pkg.Syntax {
			name := c.file(u.pkg.Fset.File(file.FileStart).Name())
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					out = append(out, Function{u.pkg.PkgPath, name, functionName(f)})
				}
			}
		}
	}
	return out
}

// Packages returns the number of packages that are reported on.
func (c *Corpus) Packages() int {
	n := 0
	for _, u := range c.packages {
		if u.reported {
			n++
		}
	}
	return n
}

// file returns the name of a file relative to the corpus. The name of a file outside the
// corpus, such as a generated one, is unchanged.
func (c *Corpus) file(name string) string {
	if rel, err := filepath.Rel(c.dir, name); err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	return filepath.ToSlash(name)
}

// functionName names a function as f, (T).f or (*T).f.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	star := ""
	recv := ast.Unparen(f.Recv.List[0].Type)
	if p, ok := recv.(*ast.StarExpr); ok {
		star, recv = "*", ast.Unparen(p.X)
	}
	switch generic := recv.(type) {
	case *ast.IndexExpr:
		recv = generic.X
	case *ast.IndexListExpr:
		recv = generic.X
	}
	return fmt.Sprintf("(%s%s).%s", star, recv, f.Name.Name)
}

// variant reports whether the package is a test variant: with the files of its tests,
// an external test, or compiled anew for one.
func variant(p *packages.Package) bool { return strings.HasSuffix(p.ID, ".test]") }

// testMain reports whether the package is the program that go test generates.
func testMain(p *packages.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.ID, ".test")
}
