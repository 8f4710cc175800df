// Package guards infers what the locations of a package are guarded by: the locks that all
// its writers hold on the same object, outside of constructors and tests (Savage and
// others, Eraser, TOCS 1997, computed over the program instead of a run). A location that
// is not written after construction is constant and takes part in nothing.
//
// Ownership makes exceptions: an object that only one unexported field refers to is
// guarded by whatever is held where that field is used (private.go), and an object of
// another package that this package only uses under a lock of its own has that lock, too
// (shield.go).
package guards

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A GuardPackage knows what guards the locations of a package.
type Guards struct {
	*process.Processes
	Locs map[accesspath.Location]*fact.LocInfo
	// passages are those of each function, by its number.
	passages [][]Passage
	// outerLocks are the locks that this package holds wherever it calls a
	// writer of another one: see shield.
	outerLocks map[string][]accesspath.Location
	// parts are the objects that are private to a field, with their writers: see Writers.
	parts       func() map[part]bool
	partWriters map[ownedLoc][]fact.Writer
	// notifications caches who tells whom: see Notifies.
	notifications pairing[fact.Writer]
	listsOf       map[listKey][]list
	// closings caches who closes objects: see Closes.
	closings pairing[Closing]
	// derived caches what is computed from what: see Derives.
	derived pairing[fact.Writer]
}
