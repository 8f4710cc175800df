// Package counterpart finds the functions of a package that relate two locations: one that
// closes an object and deletes it from a container, one that changes a state and then
// iterates over its subscribers, one that computes one location from another, one that changes
// what others wait for and then wakes them. A function
// that uses the two locations in separate critical sections, the other way round, can miss
// what such a counterpart does in between.
package counterpart

import (
	"go/types"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/process"
	"golang.org/x/tools/go/ssa"
)

// A Finder finds the counterparts in a package. Each kind is searched for when it is first
// asked for.
type Finder struct {
	*guards.Guards
	closings      pairing[Closing]      // see Closes
	notifications pairing[Notification] // see Notifies
	rings         pairing[Notification] // see Rings
	listsOf       map[listKey][]list
	bellsOf       map[listKey][]list
	derived       pairing[fact.Writer] // see Derives
	// checks are by the location that is read and the one that is written: see Checks.
	checks   map[accesspath.Location]map[accesspath.Location][]Check
	invalid  pairing[fact.Writer]                  // see Invalidates
	drops    pairing[fact.Writer]                  // see Drops
	outgoing pairing[fact.Writer]                  // see TakesOut
	gifts    map[types.Object][]gift               // see giftsOf
	compared map[*types.Var]comparisons            // see IsPosition
	drains   pairing[fact.Writer]                  // see DrainsBy
	elements map[accesspath.Location][]fact.Writer // see ElementWriters
	fields   map[accesspath.Location][]fact.Writer // see FieldWriters
	spare    map[accesspath.Location]bool          // see HasSpare
	shifts   map[accesspath.Location][]fact.Pos    // see Shifts
	rewinds  map[accesspath.Location][]fact.Pos    // see Rewinds
	// wakings are by mutex and changed location: see Wakes.
	wakings    map[accesspath.Location]map[accesspath.Location][]Waking
	wakesOf    map[wakeKey][]wake
	settlers   map[accesspath.Location]fact.Writer // see Settles
	signalled  map[signalQuestion]bool             // see signalsName
	shutdowns  pairing[Shutdown]                   // see ShutsDown
	timers     map[*process.Func]*types.Var        // see Renewals
	renewals   map[*types.Var][]Renewal
	endings    pairing[fact.Writer]         // see Ends
	leavings   pairing[fact.Writer]         // see Leaves
	serial     map[accesspath.Location]bool // see Serial
	endsOf     map[listKey][]end
	useEndings pairing[fact.Writer]         // see EndsUse
	objectUses map[*process.Func]uses       // see usesOf
	closed     map[accesspath.Location]bool // objects in variables that some function closes: see EndsUse
	usedIn     map[listKey][]list
	given      map[*process.Func]map[ssa.Value]bool // values that calls depend on
	nonzero    map[accesspath.Location]bool         // see raised
	returning  map[*ssa.Function]int                // see findGivenBack
	givenBack  map[*ssa.Function][]GivenBack        // see GivenBack
}

// A signalQuestion asks whether a function signals what it is given under a name, within a number of calls.
type signalQuestion struct {
	of    ssa.Value
	depth int
}

// New returns a Finder for the package.
func New(g *guards.Guards) *Finder {
	return &Finder{
		Guards: g, listsOf: make(map[listKey][]list), bellsOf: make(map[listKey][]list), endsOf: make(map[listKey][]end), objectUses: make(map[*process.Func]uses), closed: make(map[accesspath.Location]bool),
		usedIn: make(map[listKey][]list), given: make(map[*process.Func]map[ssa.Value]bool),
	}
}

// pairs returns a pairing, which find adds to for each function when it is first asked for.
func pairs[T any](p *Finder, known *pairing[T], find func(*process.Func)) pairing[T] {
	if *known == nil {
		*known = make(pairing[T])
		for f := range p.Sharing() {
			find(f)
		}
	}
	return *known
}

// withLocks returns w as a writer, with the locks that are held there.
func withLocks(f *process.Func, w *funcsum.Event) fact.Writer {
	by := f.Writer(w)
	by.Guards = f.Locks(w)
	return by
}
