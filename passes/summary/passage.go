package summary

import (
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// A Passage is one passage of a function through a guard, with what that guard
// guards of what is accessed in it.
type Passage struct {
	Hold
	Events []int // indexes into Func.Events
}

// Passages returns the passages of f, those inside its callees too, in the order
// in which they first access something.
func (p *Package) Passages(f *Func) []Passage {
	if f.passages != nil {
		return f.passages
	}
	index := make(map[string]int)
	out := []Passage{}
	for i, e := range f.Events {
		info := p.Location(e.Loc)
		for _, h := range e.Holds {
			if !info.guardedBy(h) || !Concerns(h.Guard, e.Loc, e.Base) {
				continue
			}
			key := passageKey(h)
			j, ok := index[key]
			if !ok {
				j = len(out)
				index[key] = j
				out = append(out, Passage{Hold: h})
			}
			out[j].Events = append(out[j].Events, i)
		}
	}
	f.passages = out
	return out
}

// guardedBy reports whether a hold is of a guard of the location, or is the one
// step of an atomic operation on it.
func (i *LocInfo) guardedBy(h Hold) bool {
	if i.Constant() {
		return false
	}
	return slices.Contains(i.Guards, h.Class) || h.Inner && i.Atomic && h.Class == i.Loc+atomicMark
}

// IsAtomic reports whether the passage is a single atomic operation.
func (h Hold) IsAtomic() bool { return strings.HasSuffix(string(h.Path), atomicMark) }

// Locks returns the classes of the locks that are held at an event of f, those
// that all callers hold too.
func (f *Func) Locks(e *Event) []accesspath.Location {
	var out []accesspath.Location
	for _, h := range e.Holds {
		if h.Class != "" && !h.IsAtomic() {
			out = append(out, h.Class)
		}
	}
	for _, g := range f.Entry {
		if g.Class != "" && !f.Flow.InState(g.Path) {
			out = append(out, g.Class)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
