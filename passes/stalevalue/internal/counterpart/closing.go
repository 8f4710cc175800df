package counterpart

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// Closing an object removes it from the containers that hold it. The key of the removal
// is read from a field of the object:
//
//	c.closed = true
//	delete(s.groups[c.group], c)
//
// A reader of c.group that inserts by it in a later critical section inserts after the
// removal.

// A Closing is a function that sets a flag of an object which is never cleared, and in
// the same critical section reads a field of the object, by which it deletes from a
// container.
type Closing struct {
	fact.Writer
	Flag accesspath.Location // the flag
}

// Closes returns, by field of an object, the functions that close the object and delete
// from the container what the field refers to.
func (p *Finder) Closes(container accesspath.Location) map[accesspath.Location][]Closing {
	return pairs(p, &p.closings, p.findClosings)[container]
}

func (p *Finder) findClosings(f *process.Func) {
	for _, mark := range f.Events {
		if !mark.Writes() || mark.Const != "true" || p.Location(mark.Loc).Constant() || p.Location(mark.Loc).Latch != "true" {
			continue
		}
		for i, ref := range f.Events {
			if !ref.Reads() || ref.Loc == mark.Loc || !accesspath.Same(ref.Base, mark.Base) || !funcsum.SharePassage(ref, mark) {
				continue
			}
			for _, e := range f.Events {
				if e.Op&fact.Delete == 0 || !chosenBy(f, e, i) {
					continue
				}
				w := f.Writer(e)
				w.Guards = f.Locks(mark)
				p.closings.add(e.Loc, ref.Loc, Closing{w, mark.Loc})
			}
		}
	}
}

// chosenBy reports whether the value read by access i determines what e deletes: the key,
// the operand, or the branch that e is control-dependent on.
func chosenBy(f *process.Func, e *funcsum.Event, i int) bool {
	ref := f.Events[i]
	return slices.Contains(e.Key.Parts(), accesspath.Key(ref.MemberPath())) || slices.Contains(e.Data, i) || slices.Contains(e.Control, i)
}
