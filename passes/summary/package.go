package summary

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"sync"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/views"
)

// A Package is the result of the analyzer: the functions of a package, what its
// locations are guarded by, and what belongs together. It computes nothing itself; the
// stages that the values come from are in the packages named in the comment of this one.
type Package struct {
	Funcs []*Func

	views    *views.Views
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
	for _, err := range p.views.Foreign.Errs {
		out = append(out, fmt.Sprintf("atomvet cannot read what it knows of a dependency: %v", err))
	}
	p.failures, p.views.Foreign.Errs = nil, nil
	return out
}

// Of returns the function of the package that a step calls.
func (p *Package) Of(c Callee) *Func { return p.Funcs[c.Func.ID] }

// Foreign returns what is known of a function of another package, or nil.
func (p *Package) Foreign(fn *types.Func) *FuncSummary { return p.views.Foreign.Function(fn) }

// InTest reports whether f is declared in a test file.
func (p *Package) InTest(f *Func) bool { return f.Test }

// Location returns what is known about a location, or nil.
func (p *Package) Location(l accesspath.Location) *LocInfo { return p.views.Location(l) }

// Locations returns the locations of the package that are accessed, in order.
func (p *Package) Locations() []accesspath.Location {
	return slices.Sorted(maps.Keys(p.views.Guards.Locs))
}

// Passages returns the passages of f, those inside its callees too, in the order
// in which they first access something.
func (p *Package) Passages(f *Func) []Passage { return p.views.Passages(f) }

// Writers returns who may write what e accesses: all writers of the location, or
// those through the only field that has the object.
func (p *Package) Writers(e *Event, info *LocInfo) []Writer { return p.views.Writers(e, info) }

// OnlyCalledBy reports whether nobody but f calls the function of a writer.
func (p *Package) OnlyCalledBy(w *Writer, f *Func) bool { return p.views.OnlyCalledBy(w, f) }

// Concurrent reports whether writer w can run while f does.
func (p *Package) Concurrent(f *Func, w *Writer) bool { return p.views.Concurrent(f, w) }

// ConcurrentView reports whether the function of a view can run while f does.
func (p *Package) ConcurrentView(f *Func, v *View) bool { return p.views.ConcurrentView(f, v) }

// MayRunTogether reports whether f and g can run at the same time.
func (p *Package) MayRunTogether(f, g *Func) bool { return p.views.MayRunTogether(f, g) }

// Alone reports whether f is only run by main, tests and initializers.
func (p *Package) Alone(f *Func) bool { return p.views.Alone(f) }

// IsRoot reports whether a process starts at f.
func (p *Package) IsRoot(f *Func) bool { return p.views.IsRoot(f) }

// Views returns the views with at least two of the given locations, those that
// the packages which declare them have exported too.
func (p *Package) Views(locs []accesspath.Location) []*View { return p.views.Views(locs) }

// AccessViews returns the views of the package that do not tell reads from writes
// and that have at least two of the given locations.
func (p *Package) AccessViews(locs []accesspath.Location) []*View { return p.views.AccessViews(locs) }

// Stored reports whether most functions that store one of two atomic variables
// store the other, too.
func (p *Package) Stored(x, y accesspath.Location) bool { return p.views.Stored(x, y) }

// ReadTogether reports whether at least half of the regions that read either of
// two locations use both for one thing.
func (p *Package) ReadTogether(x, y accesspath.Location) bool { return p.views.ReadTogether(x, y) }

// Loose reports whether of the regions of this package that write either of two
// locations most leave the other as it is.
func (p *Package) Loose(x, y accesspath.Location) bool { return p.views.Loose(x, y) }

// Closes returns the functions that close objects and take out of a container what a
// field of the object says, by that field.
func (p *Package) Closes(from accesspath.Location) map[accesspath.Location]Closing {
	return p.views.Closes(from)
}

// Notifies returns functions that write a location, and then go through a container,
// which belongs to the same object, by that location.
func (p *Package) Notifies(to accesspath.Location) map[accesspath.Location]Writer {
	return p.views.Notifies(to)
}

// Derives returns a writer of location x that computes it from location y in one
// region: s.quota = newQuota(s.limit - len(s.active)).
func (p *Package) Derives(x, y accesspath.Location) (Writer, bool) { return p.views.Derives(x, y) }
