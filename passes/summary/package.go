package summary

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/closedworld"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/handoff"
	"github.com/atomvet/atomvet/passes/internal/interleave"
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
	outside  *closedworld.Unit // see noteOutside
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
	if n := p.views.ByFn[fn]; n != nil {
		return p.views.Of(n)
	}
	return nil
}

// Foreign returns the summary of a function of another package, or nil.
func (p *Package) Foreign(fn *types.Func) *FuncSummary { return p.views.Foreign.Function(fn) }

// InTest reports whether f is declared in a test file.
func (p *Package) InTest(f *Func) bool { return f.Test }

// Location returns what is known about a location, or nil.
func (p *Package) Location(l accesspath.Location) *LocInfo { return p.views.Location(l) }

// Locations returns the locations of the package that are accessed, in order.
func (p *Package) Locations() []accesspath.Location {
	return slices.Sorted(maps.Keys(p.views.Guards.Locs))
}

// IsGuard reports whether a variable of the package is guarded by a lock, by its declaration.
func (p *Package) IsGuard(lock accesspath.Location) bool {
	for _, info := range p.views.Guards.Locs {
		if slices.Contains(info.Guards, lock) {
			return true
		}
	}
	return false
}

// Passages returns the critical sections of f, including those inside its callees, in the
// order of their first accesses.
func (p *Package) Passages(f *Func) []Passage { return p.views.Passages(f) }

// Writers returns the writers that may write the object which e accesses: if the object
// is confined to a field, the writers through that field, else all writers of the
// location.
func (p *Package) Writers(e *Event, info *LocInfo) []Writer { return p.views.Writers(e, info) }

// OnlyCalledBy reports whether f is the only caller of the function of a writer.
func (p *Package) OnlyCalledBy(w *Writer, f *Func) bool { return p.views.OnlyCalledBy(w, f) }

// OnlyReachedBy reports whether all calls of f, by way of other functions too, come from g.
func (p *Package) OnlyReachedBy(f, g *Func) bool { return p.views.OnlyReachedBy(f, g) }

// WriteOf returns the function of a writer and its access there. Both are nil for a writer in another package; the access
// is nil as well if it is not among those of the function.
func (p *Package) WriteOf(w *Writer) (*Func, *Event) {
	if w.Fn < 0 {
		return nil, nil
	}
	f := p.Funcs[w.Fn]
	return f, f.WriteOf(w)
}

// Concurrent reports whether writer w can run concurrently with f, on the object at base.
func (p *Package) Concurrent(f *Func, base accesspath.Path, w *Writer) bool {
	return p.views.Concurrent(f, base, w)
}

// ConcurrentAt reports whether writer w can run concurrently with access e of f.
func (p *Package) ConcurrentAt(f *Func, e *Event, w *Writer) bool {
	return p.views.ConcurrentAt(f, e, w)
}

// InGroup reports whether f only runs in goroutines of the sync.WaitGroup at a location.
func (p *Package) InGroup(f *Func, group accesspath.Location) bool { return p.views.InGroup(f, group) }

// EndsWith reports whether f only runs in goroutines that signal their ends by one of the given groups and channels.
func (p *Package) EndsWith(f *Func, joined []accesspath.Location) bool {
	return p.views.EndsWith(f, joined)
}

// RunsTwice reports whether two runs of f may share the local variable at location l.
func (p *Package) RunsTwice(f *Func, l accesspath.Location) bool { return p.views.RunsTwice(f.Body, l) }

// Arrival says how the function of writer w comes to run beside f on the object at base, as a
// relative clause.
func (p *Package) Arrival(f *Func, base accesspath.Path, w *Writer) string {
	return p.views.Arrival(f, base, w)
}

// Twice says how f comes to run beside itself on the object at base.
func (p *Package) Twice(f *Func, base accesspath.Path) string { return p.views.Twice(f, base) }

// Started reports whether the package starts a goroutine, or hands out a function value, by which f and the
// function of writer w run at the same time, on the object at base.
func (p *Package) Started(f *Func, base accesspath.Path, w *Writer) bool {
	return p.views.Started(f, base, w)
}

// StartedView is Started for access e of f and the function of a view.
func (p *Package) StartedView(f *Func, e *Event, v *View) bool { return p.views.StartedView(f, e, v) }

// Deterministic reports whether equal arguments give equal results of a call, at any time.
func (p *Package) Deterministic(c *ssa.Call) bool { return p.views.Deterministic(c) }

// BesideItself reports whether f can run concurrently with itself on the object at base.
func (p *Package) BesideItself(f *Func, base accesspath.Path) bool {
	return p.views.BesideItself(f, base)
}

// Confined reports whether the goroutine that runs f, on the object at base, is the only
// one to run the function of writer w on that object, at that time.
func (p *Package) Confined(f *Func, base accesspath.Path, w *Writer) bool {
	return p.views.Confined(f, base, w)
}

// InCallee returns the function of the package that makes an access for f, with the access there, or nil if f makes it
// itself.
func (p *Package) InCallee(f *Func, e *Event) (*Func, *Event) { return p.views.InCallee(f, e) }

// Races reports whether f and writer w access some variable without a lock, so that w does not come between
// the check and the act.
func (p *Package) Races(f *Func, check, act *Event, w *Writer) bool {
	return p.views.Races(f, check, act, w)
}

// HandedOver reports whether f and writer w have each received its object from a channel that has each object
// at most once.
func (p *Package) HandedOver(f *Func, check, act *Event, w *Writer) bool {
	return p.views.HandedOver(f, check, act, w)
}

// Documented reports whether a doc comment says that f, on the object at base, does not run
// beside the function of writer w.
func (p *Package) Documented(f *Func, base accesspath.Path, w *Writer) bool {
	return p.views.Documented(f, base, w)
}

// ConcurrentView reports whether the function of a view can run concurrently with access e
// of f.
func (p *Package) ConcurrentView(f *Func, e *Event, v *View) bool {
	return p.views.ConcurrentView(f, e, v)
}

// ConfinedView is like Confined, for the function of a view of location l of the object at
// base.
func (p *Package) ConfinedView(f *Func, base accesspath.Path, v *View, l accesspath.Location) bool {
	return p.views.ConfinedView(f, base, v, l)
}

// MayRunTogether reports whether f and g can run concurrently, on an object that is their own if
// there is one goroutine for each object.
func (p *Package) MayRunTogether(f, g *Func) bool { return p.views.MayRunTogether(f, g) }

// ConcurrentOn reports whether f on the object at base, and g on that at of, can run at the same
// time.
func (p *Package) ConcurrentOn(f *Func, base accesspath.Path, g *Func, of accesspath.Path) bool {
	return p.views.ConcurrentOn(f, base, g, of)
}

// Alone reports whether only main, tests and initializers reach f.
func (p *Package) Alone(f *Func) bool { return p.views.Alone(f) }

// IsRoot reports whether a process starts at f.
func (p *Package) IsRoot(f *Func) bool { return p.views.IsRoot(f) }

// Views returns the views with at least two of the given locations, including those that
// the packages which declare the locations have exported.
func (p *Package) Views(locs []accesspath.Location) []*View { return p.views.Views(locs) }

// AccessViews returns the views of the package that do not separate reads from writes and
// that have at least two of the given locations.
func (p *Package) AccessViews(locs []accesspath.Location) []*View { return p.views.AccessViews(locs) }

// Stored reports whether most functions that store one of two atomic variables
// store the other, too.
func (p *Package) Stored(x, y accesspath.Location) bool { return p.views.Stored(x, y) }

// Announced reports whether most functions that write one of two atomic variables write the
// other in the same step of control.
func (p *Package) Announced(x, y accesspath.Location) bool { return p.views.Announced(x, y) }

// ReadTogether reports whether at least half of the critical sections that read either of
// two locations use both for one result, write or branch.
func (p *Package) ReadTogether(x, y accesspath.Location) bool { return p.views.ReadTogether(x, y) }

// UsedTogether reports whether some critical section uses both of two locations for one result, write or branch.
func (p *Package) UsedTogether(x, y accesspath.Location) bool { return p.views.UsedTogether(x, y) }

// Tells reports whether all critical sections of this package that write x also write y.
func (p *Package) Tells(x, y accesspath.Location) bool { return p.views.Tells(x, y) }

// Loose reports whether most critical sections of this package that write either of two
// locations do not write the other.
func (p *Package) Loose(x, y accesspath.Location) bool { return p.views.Loose(x, y) }

// Guards returns the stage that says what guards the locations, for questions of one
// detector alone.
func (p *Package) Guards() *guards.Guards { return p.views.Guards }
