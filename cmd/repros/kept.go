package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const keptDir = "testdata/realcode/repro"

// A kept is a test that shows a finding in a project.
type kept struct {
	name string // of the file, without _test.go
	// project is the name of the checkout, commit the one that it was written for, and pkg the
	// directory of the package.
	project, commit, pkg string
	finding, at          string
	found                string   // its number in FOUND.md
	flags                []string // for atomvet
}

// kept runs the tests of the projects that are in a directory. What atomvet reports on them is read from
// the directory load, unless that is "".
func (r *runner) kept(checkouts, load string, names []string) (int, error) {
	list, err := loadKept(r.root)
	if err != nil {
		return 0, err
	}
	code := 0
	for _, k := range list {
		dir := filepath.Join(checkouts, k.project)
		if _, err := os.Stat(dir); err != nil || len(names) > 0 && !slices.Contains(names, k.name) && !slices.Contains(names, k.project) {
			continue
		}
		args := append([]string{"-finding=" + k.finding, "-test=" + filepath.Join(r.root, keptDir, k.name+"_test.go")}, k.flags...)
		if k.at != "" {
			args = append(args, k.at)
		}
		if load != "" {
			args = append(args, "-from="+filepath.Join(load, k.project+".json"))
		}
		v, err := r.repro(dir, append(args, k.pkg)...)
		switch {
		case err != nil:
			fmt.Printf("%s\tfailed: %v\n", k.name, err)
			code = 1
		default:
			fmt.Printf("%s\t%s\t%s\n", k.name, v.Verdict, v.Missing)
			if v.Verdict != "shown" {
				code = 1
			}
		}
	}
	return code, nil
}

// loadKept reads what the comments say about the tests.
func loadKept(root string) ([]*kept, error) {
	files, err := filepath.Glob(filepath.Join(root, keptDir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var list []*kept
	for _, name := range files {
		k, err := parseKept(name)
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}

// parseKept reads the comment of a test, in which lines such as "Project: NAME COMMIT" are.
func parseKept(name string) (*kept, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	k := &kept{name: strings.TrimSuffix(filepath.Base(name), "_test.go")}
	for _, group := range f.Comments {
		for line := range strings.Lines(group.Text()) {
			key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if !ok || group.Pos() > f.Package {
				continue
			}
			switch key {
			case "Project":
				k.project, k.commit, _ = strings.Cut(value, " ")
			case "Package":
				k.pkg = value
			case "Finding":
				k.finding, _, _ = strings.Cut(value, ",")
			case "Found":
				k.found = value
			case "Switch":
				k.at = "-at=" + value
			case "Flags":
				k.flags = strings.Fields(value)
			}
		}
	}
	if k.project == "" || k.commit == "" || k.pkg == "" || k.finding == "" || k.found == "" || !calls(f, "Try") || !bytes.HasPrefix(data, []byte("//go:build ignore\n")) {
		return nil, fmt.Errorf("%s: the comment has to name Project, Package, Finding and Found, and the test has to call atomvetrt.Try", name)
	}
	return k, nil
}

// calls reports whether a file calls a function of the support package.
func calls(f *ast.File, name string) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name {
			id, ok := s.X.(*ast.Ident)
			found = found || ok && id.Name == "atomvetrt"
		}
		return !found
	})
	return found
}
