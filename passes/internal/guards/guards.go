// Package guards infers what the locations of a package are guarded by: the locks that all
// its writers hold on the same object, outside of constructors and tests (Savage and
// others, Eraser, TOCS 1997, computed over the program instead of a run). A location that
// is not written after construction is constant and takes part in nothing.
//
// Ownership makes exceptions: an object that only one unexported field refers to is
// guarded by whatever is held where that field is used (private.go), and an object of
// another package that this package only uses under a lock of its own has that lock, too
// (shield.go). A lock that is a parameter is bound to what the callers pass (parameter.go).
package guards

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// Guards has the guards of the locations of a package, and its critical sections.
type Guards struct {
	*process.Processes
	// Locs has the writers and guards of each location that this package writes.
	Locs map[accesspath.Location]*fact.LocInfo
	// passages has the critical sections of each function, by the function's number.
	passages [][]Passage
	// outerLocks are the locks that are held at every call in this package of a writer in
	// another package, by the position of the write: see shield.
	outerLocks map[string][]accesspath.Location
	// parts maps each field that holds an object to whether the object is confined to the
	// field; partWriters caches the writers through such a field: see Writers.
	parts       func() map[part]bool
	partWriters map[ownedLoc][]fact.Writer
	// bound has what is passed for the parameters that are locations.
	bound map[accesspath.Location]*binding
	// aliases are the other classes that a lock has as a parameter: see findAliases.
	aliases map[accesspath.Location][]accesspath.Location
	// setters are the summaries of the setters that are no writers: see findSetters.
	setters   func() map[*fact.FuncSummary]bool
	states    map[accesspath.Location]bool // see findStates
	flagTests flagTests
}

// Concerns reports whether a lock may protect location l of the object at base. A lock
// that is a field of the same type as l protects l in its own object only.
func Concerns(g lockset.Guard, l accesspath.Location, base accesspath.Path) bool {
	return g.Class.Type() != l.Type() || mayGuard(g, l, base)
}

// Location returns what is known about a location, see [fact.LocInfo.OrNothing].
func (p *Guards) Location(l accesspath.Location) *fact.LocInfo { return p.Known(l).OrNothing() }

// Known returns what is known about a location, or nil.
func (p *Guards) Known(l accesspath.Location) *fact.LocInfo {
	i := p.Locs[l]
	if i == nil && l.Pkg() != p.Pkg.Path() {
		if i = p.Foreign.Location(l); i != nil {
			i = p.shielded(i)
			p.Locs[l] = i
		}
	}
	return i
}

// Related reports whether a lock at path lock may guard the object at base: one of the
// two belongs to the other, the lock is a package variable, or one of the paths is
// unknown.
func Related(lock, base accesspath.Path) bool {
	if lock == accesspath.Unknown || base == accesspath.Unknown || lock.IsGlobal() {
		return true
	}
	owner := lock.Parent()
	for owner != accesspath.Unknown {
		if base.Within(owner) {
			return true
		}
		owner = owner.Parent()
	}
	return lock.Root() == base.Root() || lock.IsLocal() || base.IsLocal()
}
