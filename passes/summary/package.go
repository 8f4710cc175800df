package summary

import (
	"fmt"
	"go/types"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/closedworld"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/handoff"
	"github.com/atomvet/atomvet/passes/internal/interleave"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/step"
	"github.com/atomvet/atomvet/passes/internal/views"
)

// remarks is set by the flag -atomvetsummary.remarks: detectors report what they left out.
var remarks bool

// A Package is the result of the analyzer: the functions of a package, the guards of its
// locations, and which locations belong together. It has no analysis of its own; the
// values come from the stages named in the comment of this package.
type Package struct {
	// Funcs are the functions of the package, by number.
	Funcs []*Func

	views    *views.Views
	engine   *interleave.Engine
	failures []string
	outside  *closedworld.Unit // if the driver asks for it, until it is reported
	standard bool              // it is of the standard library
	turn     sync.Mutex
	handoffs *handoff.Handoffs
	// steps caches Steps, by function.
	steps map[*Func]map[ssa.Instruction][]Step
}

// Acquire locks the package for one detector until the detector calls release. Drivers
// run the detectors of a package concurrently, and the answers to queries are cached.
func (p *Package) Acquire() (release func()) {
	p.turn.Lock()
	return p.turn.Unlock
}

// Failures returns the failures that were not returned before, so that only the first
// detector reports them.
func (p *Package) Failures() []string {
	out := p.failures
	for _, err := range p.views.Foreign.Errs {
		out = append(out, fmt.Sprintf("what atomvet knows of a dependency is missing: %v", err))
	}
	p.failures, p.views.Foreign.Errs = nil, nil
	return out
}

// Incomplete returns, if the driver asks for remarks, what was not returned before of the
// functions that are analyzed in part: each with the bound that it exceeds.
func (p *Package) Incomplete() []string {
	if !remarks {
		return nil
	}
	return p.views.Limits.Take()
}

// Exceeds records that a function exceeds a bound of package limit.
func (p *Package) Exceeds(function, bound string) { p.views.Limits.Add(function, bound) }

// Steps returns the steps of the instructions of f that have any, for analyses that execute
// functions.
func (p *Package) Steps(f *Func) map[ssa.Instruction][]Step {
	list, ok := p.steps[f]
	if !ok {
		if p.steps == nil {
			p.steps = make(map[*Func]map[ssa.Instruction][]Step)
		}
		list = step.Of(p.views.Summaries, f.Body)
		p.steps[f] = list
	}
	return list
}

// Of returns the function of the package that is called in a step.
func (p *Package) Of(c Callee) *Func { return p.Funcs[c.Func.ID] }

// FuncOf returns the function of the package that has the body fn, or nil.
func (p *Package) FuncOf(fn *ssa.Function) *Func {
	if n := p.views.Called(fn); n != nil {
		return p.views.Of(n)
	}
	return nil
}

// Foreign returns the summary of a function of another package, or nil.
func (p *Package) Foreign(fn *types.Func) *FuncSummary { return p.views.Foreign.Function(fn) }

// Location returns what is known about a location, or nil.
func (p *Package) Location(l accesspath.Location) *LocInfo { return p.views.Location(l) }

// WriteOf returns the function of a writer and its access there. Both are nil for a writer in another package; the access
// is nil as well if it is not among those of the function.
func (p *Package) WriteOf(w *Writer) (*Func, *Event) {
	if w.Fn < 0 {
		return nil, nil
	}
	f := p.Funcs[w.Fn]
	return f, f.WriteOf(w)
}

// Processes returns the stage that says who runs beside whom.
func (p *Package) Processes() *process.Processes { return p.views.Processes }

// Guards returns the stage that infers the guards and the writers of the locations.
func (p *Package) Guards() *guards.Guards { return p.views.Guards }

// Views returns the stage that says which locations are used together.
func (p *Package) Views() *views.Views { return p.views }
