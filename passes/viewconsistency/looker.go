package viewconsistency

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// lookers are the accesses that look at a location, by location and function, in the order of the functions.
type lookers struct {
	at map[accesspath.Location][]looking
	// concluding caches concludes, by the two looks.
	concluding map[[2]*summary.Event]bool
}

// A looking is a function with its looks at a location.
type looking struct {
	f     *summary.Func
	looks []*summary.Event
}

// findLookers finds the lookers of a package.
func findLookers(p *summary.Package) *lookers {
	out := make(map[accesspath.Location][]looking)
	for _, f := range p.Funcs {
		if f.Flow == nil || f.Constructs() {
			continue
		}
		for _, e := range f.Events {
			if !looks(e) {
				continue
			}
			of := out[e.Loc]
			if len(of) == 0 || of[len(of)-1].f != f {
				of = append(of, looking{f: f})
			}
			last := &of[len(of)-1]
			last.looks = append(last.looks, e)
			out[e.Loc] = of
		}
	}
	return &lookers{out, make(map[[2]*summary.Event]bool)}
}

// looks reports whether an access is a read, and not a removal.
func looks(e *summary.Event) bool { return e.Reads() && !e.Distant && len(e.Values) > 0 }
