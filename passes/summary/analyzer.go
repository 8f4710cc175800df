// Package summary provides the results that the detectors of atomvet share: for every
// function the locks it takes, its critical sections with the locations that they read
// and write, and how its results and writes depend on its parameters and on values it has
// read; for every location the guard that its writers agree on; and which locations
// belong together.
//
// It has no analysis of its own. It runs the stages, each a package below passes/internal
// that returns a finished value:
//
//	SSA → callgraph → funcsum → process → guards → views
//
// and exports, as a fact, the part that other packages can use (see package fact). Its
// analyzer is required by every detector; -dump prints its results.
package summary

import (
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/internal/views"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
)

// Analyzer computes the summaries of a package. Its diagnostics are dumps only.
var Analyzer = &analysis.Analyzer{
	Name:       "atomvetsummary",
	Doc:        "compute lock states, atomic regions and dependencies for the detectors of atomvet",
	URL:        "https://pkg.go.dev/github.com/atomvet/atomvet/passes/summary",
	Run:        run,
	Requires:   []*analysis.Analyzer{buildssa.Analyzer},
	ResultType: reflect.TypeFor[*Package](),
	FactTypes:  []analysis.Fact{new(fact.PackageSummary)},
}

// complete is set by the flag -atomvetsummary.complete: the driver has facts of all imports.
var complete bool

func init() {
	Analyzer.Flags.BoolVar(&remarks, "remarks", false, "report functions that are analyzed in part, in the category partial")
	Analyzer.Flags.BoolVar(&complete, "complete", false, "the driver has facts of all imports: one that is missing was lost")
}

func run(pass *analysis.Pass) (result any, err error) {
	prog := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	if stdlib.OfPackage(pass.Pkg.Path()).Builtin {
		pass.ExportPackageFact(&fact.PackageSummary{Data: fact.EncodePackage(nil, nil, nil)})
		p := analyze(pass, &buildssa.SSA{Pkg: prog.Pkg})
		if outside {
			p.outside = outsideOfBuiltin(pass, prog)
		}
		return p, nil
	}
	// A driver that loses the error of a dependency would continue without its facts:
	// after a panic the result is still returned and the dependents are analyzed. The
	// failure is passed to the detectors, as drivers print only diagnostics of those, and
	// the fact tells the dependents.
	defer func() {
		if r := recover(); r != nil {
			pass.ExportPackageFact(&fact.PackageSummary{Data: fact.EncodeFailure()})
			p := analyze(pass, &buildssa.SSA{Pkg: prog.Pkg})
			p.failures = append(p.failures, fmt.Sprintf("internal error in atomvet, package left out: %v\n%s", r, debug.Stack()))
			result = p
		}
	}()
	p := analyze(pass, prog)
	exporter{p.views}.export(pass)
	if outside {
		p.outside, p.standard = outsideOf(pass, p.views.Processes), scopeOf(pass).IsStandard(pass.Pkg)
	}
	if dump {
		dumpAll(pass, p.views)
	}
	return p, nil
}

// analyze runs the stages.
func analyze(pass *analysis.Pass, prog *buildssa.SSA) *Package {
	foreign := fact.NewForeign(pass.Pkg, pass.ImportPackageFact, complete)
	graph := callgraph.NewGraph(pass.Pkg, pass.Fset, prog, foreign)
	all := views.NewViews(guards.NewGuards(process.NewProcesses(funcsum.Summarize(graph), pass.Files)))
	return &Package{Funcs: all.Funcs, views: all}
}
