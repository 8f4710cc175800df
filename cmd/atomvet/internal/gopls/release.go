package gopls

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A release is a version of gopls in the module cache.
type release struct {
	Version, Dir, Sum, GoMod, Error string
	mod                             *modFile
}

// download has the go command fetch a version, and verifies it.
func download(cmd goCommand, version string) (*release, error) {
	out, err := cmd.quiet().output("mod", "download", "-json", goplsPath+"@"+version)
	r := new(release)
	if json.Unmarshal([]byte(out), r) == nil && r.Error != "" {
		err = errors.New(r.Error)
	}
	if err != nil {
		return nil, fmt.Errorf("gopls %s cannot be downloaded: %w", version, err)
	}
	if err := r.verify(cmd); err != nil {
		return nil, err
	}
	r.mod, err = readMod(cmd, r.GoMod)
	return r, err
}

// verify compares the files with the checksum.
func (r *release) verify(cmd goCommand) error {
	want, known := pinned[r.Version]
	if !known {
		if db, _ := cmd.output("env", "GOSUMDB"); db == "off" {
			return fmt.Errorf("gopls %s cannot be verified: atomvet does not know its checksum, and GOSUMDB is off", r.Version)
		}
		want = r.Sum // which the go command has looked up
	}
	got, err := hashTree(r.Dir, goplsPath+"@"+r.Version)
	if err != nil {
		return err
	}
	for _, sum := range []string{r.Sum, got} {
		if sum != want {
			return fmt.Errorf("gopls %s in %s has the checksum %s, and should have %s", r.Version, r.Dir, sum, want)
		}
	}
	return nil
}

// hashTree returns the checksum of a directory in the form that go.sum has, h1.
func hashTree(dir, prefix string) (string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, filepath.ToSlash(name[len(dir)+1:]))
		}
		return err
	})
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	all := sha256.New()
	for _, name := range names {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		one := sha256.New()
		_, err = io.Copy(one, f)
		f.Close()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%x  %s/%s\n", one.Sum(nil), prefix, name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(all.Sum(nil)), nil
}

// settingsDir is the package of gopls that has the list of analyzers.
const settingsDir = "internal/settings"

// takesAnalyzers returns an error if the list of analyzers is not as the overlay needs it: a
// variable AllAnalyzers, and a type Analyzer with a field for the analyzer and one for the severity.
func (r *release) takesAnalyzers() error {
	missing := map[string]bool{"AllAnalyzers": true, "Analyzer.analyzer": true, "Analyzer.severity": true}
	names, err := filepath.Glob(filepath.Join(r.Dir, filepath.FromSlash(settingsDir), "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range decl.Specs {
					for _, name := range declares(spec) {
						delete(missing, name)
					}
				}
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("gopls %s keeps its analyzers in another way than atomvet knows; gopls %s works", r.Version, Version)
	}
	return nil
}

// declares lists the variables and the fields that a specification declares.
func declares(spec ast.Spec) []string {
	var out []string
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			out = append(out, id.Name)
		}
	case *ast.TypeSpec:
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, id := range field.Names {
					out = append(out, spec.Name.Name+"."+id.Name)
				}
			}
		}
	}
	return out
}
