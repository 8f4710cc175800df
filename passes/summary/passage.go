package summary

import (
	"slices"
)

// A Passage is one passage of a function through a guard, with what that guard
// guards of what is accessed in it.
type Passage struct {
	Hold
	Events []int // indexes into Func.Events
}

// Passages returns the passages of f, those inside its callees too, in the order
// in which they first access something.
func (p *GuardPackage) Passages(f *Func) []Passage { return p.passages[f.id] }

func (p *GuardPackage) passagesOf(f *Func) []Passage {
	index := make(map[passageID]int)
	var out []Passage
	for i, e := range f.Events {
		info := p.Location(e.Loc)
		for _, h := range e.Holds {
			if !guardedBy(info, h) || !Concerns(h.Guard, e.Loc, e.Base) {
				continue
			}
			key := h.passage()
			j, ok := index[key]
			if !ok {
				j = len(out)
				index[key] = j
				out = append(out, Passage{Hold: h})
			}
			out[j].Events = append(out[j].Events, i)
		}
	}
	return out
}

// guardedBy reports whether a hold is of a guard of the location, or is the one
// step of an atomic operation on it.
func guardedBy(i *LocInfo, h Hold) bool {
	if i.Constant() {
		return false
	}
	return slices.Contains(i.Guards, h.Class) || h.Inner && i.Atomic && h.IsAtomicOf(i.Loc)
}
