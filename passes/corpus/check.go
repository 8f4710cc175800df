package corpus

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"
)

// The packages of a corpus are type-checked here and not by package packages, which would have
// the compiler compile each of them: the go command knows no way to ask for the export data
// of the imports alone. A corpus that is rewritten (see Source.Overlay) would be compiled anew each
// time, though nobody reads what the compiler makes of it.

// A checker type-checks the packages of a corpus from source, imports first.
type checker struct {
	fset    *token.FileSet
	overlay map[string][]byte
	of      map[string]*checked       // the packages that are checked, by ID
	outside map[string]*types.Package // the others, from export data, by path
	tokens  chan struct{}             // one per package that may be checked at the same time
}

// A checked is a package that is being checked.
type checked struct {
	*packages.Package
	root bool // the bodies of its functions are needed
	done chan struct{}
}

// check adds syntax and types to packages that were loaded with their imports only.
func (src *Source) check(roots []*packages.Package) error {
	c := &checker{
		fset:    token.NewFileSet(),
		overlay: src.Overlay,
		of:      make(map[string]*checked),
		tokens:  make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	for _, p := range roots {
		c.of[p.ID] = &checked{p, true, make(chan struct{})}
	}
	// What imports a package of the corpus, or is a variant for tests, has no export data.
	packages.Visit(roots, nil, func(p *packages.Package) {
		if c.of[p.ID] == nil && (variant(p) || c.imports(p)) {
			c.of[p.ID] = &checked{p, false, make(chan struct{})}
		}
	})
	if err := c.load(src); err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, p := range c.of {
		all.Go(func() { c.check(p) })
	}
	all.Wait()
	return nil
}

// imports reports whether p imports a package that is checked.
func (c *checker) imports(p *packages.Package) bool {
	for _, dep := range p.Imports {
		if c.of[dep.ID] != nil {
			return true
		}
	}
	return false
}

// load loads the types of the packages that the checked ones import, and that are not among them.
func (c *checker) load(src *Source) error {
	paths := make(map[string]bool)
	for _, p := range c.of {
		for _, dep := range p.Imports {
			if c.of[dep.ID] == nil && dep.PkgPath != "unsafe" {
				paths[dep.PkgPath] = true
			}
		}
	}
	c.outside = make(map[string]*types.Package)
	if len(paths) == 0 {
		return nil
	}
	plain := *src
	plain.Overlay = nil
	pkgs, err := plain.loadInto(c.fset, packages.LoadTypes, false, slices.Sorted(maps.Keys(paths))...)
	for _, p := range pkgs {
		if len(p.Errors) == 0 {
			c.outside[p.PkgPath] = p.Types
		}
	}
	return err
}

// check parses and checks a package when its imports are done.
func (c *checker) check(p *checked) {
	defer close(p.done)
	for _, dep := range p.Imports {
		if d := c.of[dep.ID]; d != nil {
			<-d.done
			p.IllTyped = p.IllTyped || d.IllTyped
		}
	}
	c.tokens <- struct{}{}
	defer func() { <-c.tokens }()
	p.Fset = c.fset
	for _, name := range p.CompiledGoFiles {
		c.parse(p, name)
	}
	p.TypesInfo = &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Instances:    make(map[*ast.Ident]types.Instance),
		Scopes:       make(map[ast.Node]*types.Scope),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		FileVersions: make(map[*ast.File]string),
	}
	conf := types.Config{
		Importer:         importer(func(path string) (*types.Package, error) { return c.imported(p, path) }),
		IgnoreFuncBodies: !p.root,
		Sizes:            p.TypesSizes,
		Error:            p.fail,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	p.Types = types.NewPackage(p.PkgPath, p.Name)
	types.NewChecker(&conf, c.fset, p.Types, p.TypesInfo).Files(p.Syntax) // fail has the errors
	p.IllTyped = p.IllTyped || len(p.Errors) > 0
}

// parse adds the syntax of a file.
func (c *checker) parse(p *checked, name string) {
	text, ok := c.overlay[name]
	if !ok {
		var err error
		if text, err = os.ReadFile(name); err != nil {
			p.Errors = append(p.Errors, packages.Error{Pos: name + ":1", Msg: err.Error(), Kind: packages.ParseError})
			return
		}
	}
	file, err := parser.ParseFile(c.fset, name, text, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		p.Errors = append(p.Errors, packages.Error{Msg: err.Error(), Kind: packages.ParseError})
	}
	if file != nil {
		p.Syntax = append(p.Syntax, file)
	}
}

// fail records an error of the type checker.
func (p *checked) fail(err error) {
	e, ok := err.(types.Error)
	if !ok {
		p.Errors = append(p.Errors, packages.Error{Msg: err.Error(), Kind: packages.TypeError})
		return
	}
	p.TypeErrors = append(p.TypeErrors, e)
	p.Errors = append(p.Errors, packages.Error{Pos: e.Fset.Position(e.Pos).String(), Msg: e.Msg, Kind: packages.TypeError})
}

// imported returns the package that p imports by a path.
func (c *checker) imported(p *checked, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	dep := p.Imports[path]
	if dep == nil {
		return nil, fmt.Errorf("no metadata for %s", path)
	}
	if d := c.of[dep.ID]; d != nil {
		return d.Types, nil
	}
	if t := c.outside[dep.PkgPath]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("no export data for %s", path)
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
