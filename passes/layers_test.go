package passes_test

import (
	"go/ast"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/passes/summary"
)

// maxCycle bounds the files of a package that refer to each other in a cycle: such files can
// only be read together.
const maxCycle = 5

// maxMethods bounds the methods of summary.Package, which hands out the stages and has no analysis of its own.
const maxMethods = 25

// TestPackage: a question is asked where it is answered, in its stage, and not passed on.
func TestPackage(t *testing.T) {
	if n := reflect.TypeFor[*summary.Package]().NumMethod(); n > maxMethods {
		t.Errorf("%d methods of summary.Package", n)
	}
}

// TestLayers: the files of each package are layers, but for small groups. A file refers to
// another one if it uses an object that is declared there; methods count where they are
// declared.
func TestLayers(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("the packages cannot be loaded")
	}
	for _, p := range pkgs {
		refs := references(p)
		for from := range refs {
			var group []string
			for to := range reachable(refs, from) {
				if reachable(refs, to)[from] {
					group = append(group, to)
				}
			}
			if len(group) > maxCycle {
				t.Errorf("%s: %d files are in a cycle with %s: %v", p.PkgPath, len(group), from, group)
			}
		}
	}
}

// references returns the other files that each file of a package refers to.
func references(p *packages.Package) map[string]map[string]bool {
	refs := make(map[string]map[string]bool)
	for i, file := range p.Syntax {
		from := filepath.Base(p.CompiledGoFiles[i])
		refs[from] = make(map[string]bool)
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if obj := p.TypesInfo.Uses[id]; obj != nil && obj.Pkg() == p.Types {
					if to := filepath.Base(p.Fset.Position(obj.Pos()).Filename); to != from {
						refs[from][to] = true
					}
				}
			}
			return true
		})
	}
	return refs
}

// reachable returns the nodes of a graph that can be reached from a node by at least one edge.
func reachable(edges map[string]map[string]bool, from string) map[string]bool {
	seen := make(map[string]bool)
	var visit func(string)
	visit = func(n string) {
		for to := range edges[n] {
			if !seen[to] {
				seen[to] = true
				visit(to)
			}
		}
	}
	visit(from)
	return seen
}
