package summary

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"sync"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"golang.org/x/tools/go/ssa"
)

// A Package is the result of the analyzer: the summaries of the functions of a
// package and what its locations are guarded by.
type Package struct {
	*ViewPackage
	failures []string
	turn     sync.Mutex
}

// Acquire gives the package to one detector until that calls release. Drivers
// run the detectors of a package at the same time, and answers to the questions that
// they ask are remembered.
func (p *Package) Acquire() (release func()) {
	p.turn.Lock()
	return p.turn.Unlock
}

// Failures returns what went wrong and was not returned before: whichever detector
// comes first reports it.
func (p *Package) Failures() []string {
	out := p.failures
	for _, err := range p.foreign.errs {
		out = append(out, fmt.Sprintf("atomvet cannot read what it knows of a dependency: %v", err))
	}
	p.failures, p.foreign.errs = nil, nil
	return out
}

// Lookup returns the Func of a function of the package, or nil.
func (p *Package) Lookup(fn *ssa.Function) *Func {
	if f := p.byFn[fn]; f != nil {
		return p.Funcs[f.id]
	}
	return nil
}

// Foreign returns what is known of a function of another package, or nil.
func (p *Package) Foreign(fn *types.Func) *FuncSummary { return p.foreign.function(fn) }

// InTest reports whether f is declared in a test file.
func (p *Package) InTest(f *Func) bool { return f.test }

// Exported reports whether other packages can call f.
func (p *Package) Exported(f *Func) bool { return f.exported() }

// Locations returns the locations of the package that are accessed, in order.
func (p *Package) Locations() []accesspath.Location {
	return slices.Sorted(maps.Keys(p.GuardPackage.locs))
}

// Of returns the function of the package that a step calls.
func (p *Package) Of(c Callee) *Func { return p.Funcs[c.Func.id] }
