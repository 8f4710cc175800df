package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// listFlags are the flags that matter to which files belong to packages.
var listFlags = map[string]bool{
	"asan": true, "compiler": true, "installsuffix": true, "mod": true, "modfile": true,
	"msan": true, "overlay": true, "race": true, "tags": true,
}

// splitFlag returns name and value of a flag for atomvet.
func splitFlag(flag string) (name, value string) {
	name, value, _ = strings.Cut(flag, "=")
	return strings.TrimLeft(name, "-"), value
}

// withTests reports whether atomvet reports what is in tests.
func withTests(flags []string) bool {
	tests := true
	for _, flag := range flags {
		if name, value := splitFlag(flag); name == "tests" {
			on, err := strconv.ParseBool(value)
			tests = on || err != nil // without a value it is on
		}
	}
	return tests
}

// A goPackage is what go list says of a package.
type goPackage struct {
	Dir                       string
	Incomplete                bool // it cannot be loaded, and atomvet leaves it out
	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
}

// A scope is what is analysed of a project.
type scope struct {
	tests bool
	dirs  map[string]bool // of packages, relative to the checkout, with slashes
	lines int             // of the files
}

// scopeOf returns what atomvet analyses if it is called with these flags and packages.
func scopeOf(dir string, flags, packages []string) (*scope, error) {
	list, err := goList(dir, flags, packages)
	if err != nil {
		return nil, err
	}
	s := &scope{tests: withTests(flags), dirs: make(map[string]bool)}
	for _, pkg := range list {
		if pkg.Incomplete {
			continue
		}
		n, err := pkg.lines(s.tests)
		if err != nil {
			return nil, err
		}
		s.lines += n
		s.dirs[relative(dir, pkg.Dir)] = true
	}
	if s.lines == 0 {
		return nil, fmt.Errorf("there is nothing to analyse in %s: go list %s finds no packages that can be loaded", dir, strings.Join(packages, " "))
	}
	return s, nil
}

func goList(dir string, flags, packages []string) ([]goPackage, error) {
	args := []string{"list", "-e", "-json=Dir,Incomplete,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles"}
	for _, flag := range flags {
		if name, _ := splitFlag(flag); listFlags[name] {
			args = append(args, flag)
		}
	}
	cmd := exec.Command("go", append(args, packages...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %v\n%s", err, stderr.Bytes())
	}
	var list []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg goPackage
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("unexpected output of go list: %v", err)
		}
		list = append(list, pkg)
	}
}

func (pkg *goPackage) lines(tests bool) (int, error) {
	files := slices.Concat(pkg.GoFiles, pkg.CgoFiles)
	if tests {
		files = slices.Concat(files, pkg.TestGoFiles, pkg.XTestGoFiles)
	}
	lines := 0
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(pkg.Dir, file))
		if err != nil {
			return 0, err
		}
		lines += bytes.Count(data, []byte("\n"))
	}
	return lines, nil
}
