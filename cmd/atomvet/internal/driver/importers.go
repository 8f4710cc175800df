package driver

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/atomvet/atomvet/passes/closedworld"
)

// importers returns the question whether all packages that may import one were checked, with their
// tests. Only of a package below a directory internal these can be known: they are in the modules
// of the build, or in other modules in directories of these. A package that could not be checked has
// no unit.
func (c *checker) importers(ctx context.Context, found *findings) func(pkg string) bool {
	type unit struct {
		path  string
		tests bool
	}
	checked := make(map[unit]bool)
	for _, u := range found.calls {
		checked[unit{u.Package, u.Tested}], checked[unit{u.Package, false}] = true, true
	}
	parents := make(map[string]bool)
	return func(pkg string) bool {
		parent, ok := closedworld.Parent(pkg)
		if !ok {
			return false
		}
		if _, known := parents[parent]; !known {
			list, err := c.below(ctx, parent)
			if err != nil {
				c.notes = append(c.notes, fmt.Sprintf("the importers of packages in %s are not known: %v", parent, err))
			}
			parents[parent] = err == nil && !imported(list, parent) && !slices.ContainsFunc(list, func(p member) bool {
				return p.files && !checked[unit{p.path, false}] || p.tests && !checked[unit{p.path, true}] || p.external && !checked[unit{p.path + "_test", true}]
			})
		}
		return parents[parent]
	}
}

// A member is a package of a module, with what files it has.
type member struct {
	path                   string
	files, tests, external bool
	module                 string // its directory
}

// below returns the packages of the modules of the build that are below a path.
func (c *checker) below(ctx context.Context, parent string) ([]member, error) {
	lines, err := c.goList(ctx, []string{parent + "/..."},
		"{{.ImportPath}}\t{{or .GoFiles .CgoFiles | len}}\t{{len .TestGoFiles}}\t{{len .XTestGoFiles}}\t{{with .Module}}{{.Dir}}{{end}}")
	if err != nil {
		return nil, err
	}
	var list []member
	for _, line := range lines {
		if f := strings.Split(line, "\t"); len(f) == 5 {
			list = append(list, member{path: f[0], files: f[1] != "0", tests: f[2] != "0", external: f[3] != "0", module: f[4]})
		}
	}
	return list, nil
}

// imported reports whether a module that is not in the build, in a directory of one that is, may
// import packages that only those below a path can.
func imported(list []member, parent string) bool {
	modules := make(map[string]bool)
	for _, m := range list {
		modules[m.module] = true
	}
	for dir := range modules {
		if dir != "" && importedBelow(dir, parent, modules) {
			return true
		}
	}
	return false
}

func importedBelow(dir, parent string, modules map[string]bool) bool {
	found := false
	nested := "" // the directory of the module that the walk is in, "" for the one at dir
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(name, nested+string(filepath.Separator)) {
			nested = ""
		}
		switch {
		case found:
			return filepath.SkipAll
		case d.IsDir() && name != dir:
			if base := d.Name(); strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "node_modules" || modules[name] {
				return filepath.SkipDir
			}
			if data, err := os.ReadFile(filepath.Join(name, "go.mod")); err == nil {
				if !strings.HasPrefix(modfile.ModulePath(data)+"/", parent+"/") {
					return filepath.SkipDir
				}
				nested = name
			}
		case nested != "" && strings.HasSuffix(name, ".go"):
			found = importsBelow(name, parent+"/internal")
		}
		return nil
	})
	return found || err != nil
}

// importsBelow reports whether a file imports a package at or below a path, or cannot be read.
func importsBelow(name, path string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		p, err := strconv.Unquote(spec.Path.Value)
		return err != nil || p == path || strings.HasPrefix(p, path+"/")
	})
}
