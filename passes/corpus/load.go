package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// A Source describes what belongs to a corpus.
type Source struct {
	Name     string   // of the corpus
	Dir      string   // patterns and the names of files are relative to it
	Patterns []string // of packages, as for the go command
	// Tests says that packages are analyzed with their tests, as by go vet.
	Tests bool
	Env   []string // in addition to that of the process
	Flags []string // of the go command, such as -tags=x
	// Overlay has the contents of files that replace those on disk.
	Overlay map[string][]byte
}

// A Loader loads corpora for some detectors.
type Loader struct {
	required []*analysis.Analyzer // by the detectors, in an order in which they can run
	std      facts                // of the standard library, for the packages needed so far

	// Nogo says to do as nogo of Bazel does: the standard library has no facts, and passes have
	// no ReadFile, Module, OtherFiles and IgnoredFiles.
	Nogo bool
}

// NewLoader returns a Loader for the detectors. They must be analyzers that report only,
// without facts or results of their own.
func NewLoader(detectors ...*analysis.Analyzer) (*Loader, error) {
	if err := analysis.Validate(detectors); err != nil {
		return nil, err
	}
	l := &Loader{std: make(facts)}
	var require func(a *analysis.Analyzer)
	require = func(a *analysis.Analyzer) {
		for _, r := range a.Requires {
			require(r)
			if !slices.Contains(l.required, r) {
				l.required = append(l.required, r)
			}
		}
	}
	for _, d := range detectors {
		if len(d.FactTypes) > 0 {
			return nil, fmt.Errorf("%s is no detector: it has facts", d.Name)
		}
		require(d)
	}
	return l, nil
}

// Load loads a corpus and runs the analyzers that the detectors require.
func (l *Loader) Load(src Source) (*Corpus, error) {
	dir, err := filepath.EvalSymlinks(src.Dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %v", src.Name, err)
	}
	src.Dir = dir
	roots, err := src.load(imports|packages.NeedCompiledGoFiles|packages.NeedTypesSizes, src.Tests, src.Patterns...)
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %v", src.Name, err)
	}
	outside, err := l.outside(src, roots)
	if err == nil {
		err = src.check(roots)
	}
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %v", src.Name, err)
	}
	c := &Corpus{Name: src.Name, dir: dir}
	c.packages, c.Broken = l.analyze(roots, outside, true)
	c.choose()
	if c.Packages() == 0 {
		return nil, fmt.Errorf("corpus %s: no packages in %s match %q: %w", src.Name, src.Dir, src.Patterns, errors.Join(c.Broken...))
	}
	return c, nil
}

// choose selects the packages whose reports count: as for go vet, a package with its
// tests replaces the package.
func (c *Corpus) choose() {
	tested := make(map[string]bool)
	for _, u := range c.packages {
		if variant(u.pkg) {
			tested[u.pkg.PkgPath] = true
		}
	}
	for _, u := range c.packages {
		u.reported = variant(u.pkg) || !tested[u.pkg.PkgPath]
	}
}

// imports is what is loaded of packages to know their imports.
const imports = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule

// outside returns the facts of all packages that those of a corpus import and that are
// not in it. Those of the standard library are computed once.
func (l *Loader) outside(src Source, roots []*packages.Package) (facts, error) {
	inside := make(map[string]bool)
	for _, p := range roots {
		inside[p.PkgPath] = true
	}
	std, others := make(map[string]bool), make(map[string]bool)
	packages.Visit(roots, nil, func(p *packages.Package) {
		switch {
		case inside[p.PkgPath] || len(p.GoFiles) == 0:
		case isStd(p):
			if l.Nogo {
				return
			}
			if _, done := l.std[p.PkgPath]; !done {
				std[p.PkgPath] = true
			}
		default:
			others[p.PkgPath] = true
		}
	})
	if err := l.add(l.std, Source{Dir: src.Dir}, std); err != nil {
		return nil, err
	}
	out := maps.Clone(l.std)
	for path := range inside {
		delete(out, path)
	}
	return out, l.add(out, src, others)
}

// add computes the facts of packages all of whose imports have facts or are among them. A
// package that cannot be loaded has no facts, as with other drivers.
func (l *Loader) add(to facts, src Source, paths map[string]bool) error {
	if len(paths) == 0 {
		return nil
	}
	roots, err := src.load(packages.LoadSyntax|packages.NeedModule, false, slices.Sorted(maps.Keys(paths))...)
	if err != nil {
		return err
	}
	units, _ := l.analyze(roots, to, false)
	for path := range paths {
		to[path] = nil
	}
	for _, u := range units {
		to[u.pkg.PkgPath] = u.facts
	}
	return nil
}

// load loads packages. It returns the packages without tests before the others, and
// leaves out the packages that go test generates.
func (src *Source) load(mode packages.LoadMode, tests bool, patterns ...string) ([]*packages.Package, error) {
	return src.loadInto(token.NewFileSet(), mode, tests, patterns...)
}

func (src *Source) loadInto(fset *token.FileSet, mode packages.LoadMode, tests bool, patterns ...string) ([]*packages.Package, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode:       mode,
		Fset:       fset,
		Dir:        src.Dir,
		Env:        append(os.Environ(), src.Env...),
		BuildFlags: src.Flags,
		Tests:      tests,
		Overlay:    src.Overlay,
	}, patterns...)
	pkgs = slices.DeleteFunc(pkgs, testMain)
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return cmp.Compare(a.ID, b.ID) })
	return pkgs, err
}

// isStd reports whether a package is of the standard library. The path of a module has a
// dot in its first element, unless the module is never imported by another one.
func isStd(p *packages.Package) bool {
	first, _, _ := strings.Cut(p.PkgPath, "/")
	return p.Module == nil && !strings.Contains(first, ".")
}
