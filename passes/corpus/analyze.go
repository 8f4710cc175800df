package corpus

import (
	"fmt"
	"go/types"
	"os"
	"runtime"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/objectpath"
)

// A run is one call of analyze.
type run struct {
	required []*analysis.Analyzer
	outside  facts
	keep     bool // keep the results

	tokens chan struct{} // one per package that may be analyzed at the same time
	byID   map[string]*task
	types  map[*types.Package]*unit
	plain  map[string]*unit // units without tests, by path
}

// A task is the analysis of a package.
type task struct {
	*unit
	done chan struct{}
	err  error
}

// analyze runs the analyzers that the detectors require on packages, imports first. It
// returns the units in the order of the packages, and an error for each package that
// could not be analyzed.
func (l *Loader) analyze(pkgs []*packages.Package, outside facts, keep bool) ([]*unit, []error) {
	r := &run{
		required: l.required,
		outside:  outside,
		keep:     keep,
		tokens:   make(chan struct{}, runtime.GOMAXPROCS(0)),
		byID:     make(map[string]*task),
		types:    make(map[*types.Package]*unit),
		plain:    make(map[string]*unit),
	}
	var tasks []*task
	for _, p := range pkgs {
		t := &task{unit: &unit{pkg: p, nogo: l.Nogo, facts: new(packageFacts)}, done: make(chan struct{})}
		tasks = append(tasks, t)
		r.byID[p.ID] = t
		r.types[p.Types] = t.unit
		if !variant(p) {
			r.plain[p.PkgPath] = t.unit
		}
	}
	// A test variant may import a variant that is in no list; the plain package stands in
	// for it. Test variants therefore come after all plain packages.
	for _, tests := range []bool{false, true} {
		var all sync.WaitGroup
		for _, t := range tasks {
			if variant(t.pkg) == tests {
				all.Go(func() { r.do(t) })
			}
		}
		all.Wait()
	}
	var units []*unit
	var broken []error
	for _, t := range tasks {
		if t.err != nil {
			broken = append(broken, t.err)
		} else {
			units = append(units, t.unit)
		}
	}
	return units, broken
}

// do analyzes a package when its imports are done.
func (r *run) do(t *task) {
	defer close(t.done)
	for _, imported := range t.pkg.Imports {
		if dep := r.byID[imported.ID]; dep != nil {
			<-dep.done
		}
	}
	r.tokens <- struct{}{}
	defer func() { <-r.tokens }()
	if len(t.pkg.Errors) > 0 {
		t.err = fmt.Errorf("package %s: %w", t.pkg.ID, t.pkg.Errors[0])
		return
	}
	if t.pkg.IllTyped {
		t.err = fmt.Errorf("package %s: an import is broken", t.pkg.ID)
		return
	}
	t.results = make(map[*analysis.Analyzer]any)
	for _, a := range r.required {
		pass := t.pass(a)
		pass.Report = func(analysis.Diagnostic) {} // no detector is among the required analyzers
		pass.ImportPackageFact = func(pkg *types.Package, f analysis.Fact) bool { return r.factsOf(pkg).of("", f) }
		pass.ExportPackageFact = func(f analysis.Fact) { t.facts.add("", f) }
		pass.ImportObjectFact = func(obj types.Object, f analysis.Fact) bool {
			path, err := objectpath.For(obj)
			return err == nil && r.factsOf(obj.Pkg()).of(path, f)
		}
		pass.ExportObjectFact = func(obj types.Object, f analysis.Fact) {
			if path, err := objectpath.For(obj); err == nil {
				t.facts.add(path, f)
			}
		}
		result, err := a.Run(pass)
		if err != nil {
			t.err = fmt.Errorf("package %s: %s: %w", t.pkg.ID, a.Name, err)
			return
		}
		t.results[a] = result
	}
	if !r.keep {
		t.results = nil
	}
}

// factsOf returns the facts of a package, or nil if it has no facts.
func (r *run) factsOf(pkg *types.Package) *packageFacts {
	if u := r.types[pkg]; u != nil {
		return u.facts
	}
	if u := r.plain[pkg.Path()]; u != nil {
		return u.facts
	}
	return r.outside[pkg.Path()]
}

// pass returns a pass over the package that has no facts and does not report.
func (u *unit) pass(a *analysis.Analyzer) *analysis.Pass {
	p := u.pkg
	module := new(analysis.Module)
	if m := p.Module; m != nil {
		module = &analysis.Module{Path: m.Path, Version: m.Version, GoVersion: m.GoVersion}
	}
	results := make(map[*analysis.Analyzer]any)
	for _, r := range a.Requires {
		results[r] = u.results[r]
	}
	pass := &analysis.Pass{
		Analyzer:   a,
		Fset:       p.Fset,
		Files:      p.Syntax,
		Pkg:        p.Types,
		TypesInfo:  p.TypesInfo,
		TypesSizes: p.TypesSizes,
		TypeErrors: p.TypeErrors,
		ResultOf:   results,
	}
	if !u.nogo {
		pass.OtherFiles, pass.IgnoredFiles, pass.Module, pass.ReadFile = p.OtherFiles, p.IgnoredFiles, module, os.ReadFile
	}
	return pass
}
