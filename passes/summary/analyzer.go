// Package summary computes what the detectors of atomvet share: for every
// function the locks it takes, the regions it passes through with what they
// read and write, and how its results and writes depend on its parameters and
// on what it read; for every location the guard that its writers agree on.
//
// It works bottom-up over the call graph of one package. What a function does
// is described in its own terms (its parameters, package variables) and
// translated at every call by substituting access paths. Summaries of functions
// that other packages can call are exported as a fact. Calls are resolved
// statically, through function values that can be only one function, and for
// interfaces through the types of the package that implement them, if they are
// few. An unknown callee neither locks nor unlocks, and its results depend on
// its arguments.
//
// Lock states are must-information, accesses and dependencies may-information.
// Code that is only reached with an object that nobody else knows yet does not
// count.
package summary

import (
	"fmt"
	"reflect"
	"runtime/debug"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// Analyzer computes summaries. It reports nothing.
var Analyzer = &analysis.Analyzer{
	Name:       "atomvetsummary",
	Doc:        "compute lock states, atomic regions and dependencies for the detectors of atomvet",
	URL:        "https://pkg.go.dev/github.com/atomvet/atomvet/passes/summary",
	Run:        run,
	Requires:   []*analysis.Analyzer{buildssa.Analyzer},
	ResultType: reflect.TypeFor[*Package](),
	FactTypes:  []analysis.Fact{new(PackageSummary)},
}

func run(pass *analysis.Pass) (result any, err error) {
	prog := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	if stdlib.OfPackage(pass.Pkg.Path()).Builtin {
		return analyze(pass, &buildssa.SSA{Pkg: prog.Pkg}), nil
	}
	// A driver that loses the error of a dependency would go on without its
	// facts: whatever happens, the dependents are analyzed, and the failure is
	// handed to the detectors, as drivers print only what those report.
	defer func() {
		if r := recover(); r != nil {
			p := analyze(pass, &buildssa.SSA{Pkg: prog.Pkg})
			p.failures = append(p.failures, fmt.Sprintf("internal error in atomvet, package left out: %v\n%s", r, debug.Stack()))
			result = p
		}
	}()
	p := analyze(pass, prog)
	p.export(pass)
	if dump {
		p.dumpAll(pass)
	}
	return p, nil
}

// analyze runs the stages.
func analyze(pass *analysis.Pass, prog *buildssa.SSA) *Package {
	foreign := newForeign(pass)
	graph := NewGraph(pass.Pkg, pass.Fset, prog, foreign)
	views := NewViews(NewGuards(NewProcesses(Summarize(graph))))
	return &Package{ViewPackage: views}
}

// export writes the fact of the package.
func (p *Package) export(pass *analysis.Pass) {
	funcs := p.foreign.leaked(p.Pkg)
	locs := make(map[accesspath.Location]*LocInfo)
	for _, s := range funcs {
		for _, a := range s.Accesses {
			if info := p.foreign.location(a.Loc); info != nil {
				locs[a.Loc] = info
			}
		}
	}
	for _, f := range p.Funcs {
		if f.state != built || !f.exported() || f.test {
			continue
		}
		obj := p.object(f)
		if obj == nil {
			continue
		}
		key := funcKey(obj)
		if s := p.outward(f); key != "" && !s.empty() {
			funcs[key] = s
			for _, a := range s.Accesses {
				if info := p.Location(a.Loc); info != nil {
					locs[a.Loc] = info
				}
			}
		}
	}
	p.mutationsOf(funcs)
	if len(funcs) == 0 {
		return
	}
	out := make(map[accesspath.Location]*LocInfo, len(locs))
	for l, info := range locs {
		out[l] = outwardLocation(info, locs)
	}
	pass.ExportPackageFact(&PackageSummary{Data: encodePackage(funcs, out, p.outwardViews(out))})
}
