package counterpart

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// An object that is closed leaves the tables that have it:
//
//	c.closed = true
//	c.mu.Unlock()
//	c.srv.forget(c.id) // delete(s.conns, id)
//
// A function that finds the object open, and enters it into such a table in a later critical
// section, may do so after it has left: nobody takes it out again.

// Leaves returns, by table, the functions that set the flag of an object and then delete the
// object, or the element of its key, from the table.
func (p *Finder) Leaves(flag accesspath.Location) map[accesspath.Location][]fact.Writer {
	return pairs(p, &p.leavings, p.findLeavings)[flag]
}

func (p *Finder) findLeavings(f *process.Func) {
	for _, mark := range f.Events {
		if !p.sets(f, mark) || mark.Base == accesspath.Unknown || p.Location(mark.Loc).Constant() {
			continue
		}
		for _, e := range f.Events {
			if e.Op&fact.Delete == 0 || e.Loc == mark.Loc || !selectedBy(e, mark.Base) || !funcsum.SharePassage(mark, e) && !f.Order().Flows(mark.Instr, e.Instr) {
				continue
			}
			p.leavings.add(mark.Loc, e.Loc, withLocks(f, mark))
		}
	}
}

// selectedBy reports whether the key of an access is an object, or a part of it.
func selectedBy(e *funcsum.Event, object accesspath.Path) bool {
	return slices.ContainsFunc(e.Key.Parts(), func(k accesspath.Key) bool { return accesspath.Path(k).Within(object) })
}
