package viewconsistency

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
	"github.com/atomvet/atomvet/passes/viewconsistency/internal/announce"
)

// A detector looks for views that one function takes apart.
type detector struct {
	pass  *analysis.Pass
	pkg   *summary.Package
	f     *summary.Func
	rules scopedRules
	judge *rule.Judge
	// shapes are those of the views of the package, for all its functions.
	shapes map[*summary.View]*shape
	// viewsOf has the views of pairs of locations.
	viewsOf map[[2]accesspath.Location][]*summary.View
	// writersOf has the names of the functions that write locations: see writers.
	writersOf map[accesspath.Location]map[string]bool
	// changed has the changes of locations, for all functions.
	changed map[accesspath.Location][]change
	// moved has the moves between elements, by the container: see moves.
	moved map[accesspath.Location][]move
	// joins and objects are the answers of Func.Joined and inObject.
	joins, objects map[[2]*summary.Event]summary.Join
	// selections are the answers of selected.
	selections map[[2]*summary.Event]summary.Selection
	// signals finds the signals of the package, for all its functions.
	signals *announce.Finder
	// lookers are those of the package.
	lookers *lookers
	// revokers are those of the package.
	revokers *revokers
	// makers are those of the package.
	makers *makers
	// loads are those of the package that are made under locks.
	loads *lockedLoads
	// sums are the adders and transfers of the package.
	sums sums
}

// A change is a write of a location, with its access if it is in this package, and the view of it alone.
type change struct {
	summary.Writer
	event *summary.Event
	view  *summary.View
}

// A move takes something out of one element, and puts it into another one.
type move struct {
	off, on *summary.Event
	view    *summary.View
}

// A section is a critical section of the function with the accesses that it is
// the outermost guarded one of.
type section struct {
	summary.Passage
	own []int
}

func (d *detector) line(at token.Pos) int { return d.pass.Fset.Position(at).Line }

// site returns the instruction that begins a section, or nil.
func (d *detector) site(s *section) ssa.Instruction {
	if s.Inner || len(s.Sites) != 1 || s.Sites[0] == lockset.Entry {
		return nil
	}
	return d.f.Instr(s.Sites[0])
}

// takes reports whether an access counts as part of a split of the category: a read
// whose value the function has, a write, or any.
func takes(category string, e *summary.Event) bool {
	switch category {
	case splitRead:
		return e.Reads() && !e.Writes() && len(e.Values) > 0
	case splitWrite:
		return e.Writes()
	}
	return true
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// scopedRules are rules, and those of them that need no view.
type scopedRules struct {
	rule.Set[*candidate]
	ofLocations, ofAccesses rule.Set[*candidate]
}
