package guards

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// An object that is closed is taken out of the tables that it is in. Which those are,
// the object says itself: c.group, s.groups[c.group].

// A Closing is a function that marks an object for good, and takes out of a container
// what it finds to be there by a field of the object that it reads in the same passage.
type Closing struct {
	fact.Writer
	Flag accesspath.Location // the mark
}

// Closes returns the functions that close objects and take out of a container what a
// field of the object says, by that field.
func (p *Guards) Closes(from accesspath.Location) map[accesspath.Location]Closing {
	if p.closings == nil {
		p.closings = make(pairing[Closing])
		for f := range p.Sharing() {
			p.findClosings(f)
		}
	}
	return p.closings[from]
}

func (p *Guards) findClosings(f *process.Func) {
	for _, mark := range f.Events {
		if !mark.Writes() || mark.Const != "true" || p.Location(mark.Loc).Constant() || p.Location(mark.Loc).Latch != "true" {
			continue
		}
		for i, told := range f.Events {
			if !told.Reads() || told.Loc == mark.Loc || !accesspath.Same(told.Base, mark.Base) || !funcsum.SharePassage(told, mark) {
				continue
			}
			for _, e := range f.Events {
				if e.Op&fact.Delete == 0 || !chosenBy(f, e, i) {
					continue
				}
				w := f.Writer(e)
				w.Guards = f.Locks(mark)
				p.closings.add(e.Loc, told.Loc, Closing{w, mark.Loc})
			}
		}
	}
}

// chosenBy reports whether event i has read what is taken out by e, or where that is.
func chosenBy(f *process.Func, e *funcsum.Event, i int) bool {
	told := f.Events[i]
	return slices.Contains(e.Key.Parts(), accesspath.Key(told.MemberPath())) || slices.Contains(e.Data, i) || slices.Contains(e.Control, i)
}
