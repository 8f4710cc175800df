package guards

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A Passage is one critical section of a function, with the accesses in it to locations
// that its guard protects.
type Passage struct {
	funcsum.Hold
	Events []int // indexes into Func.Events
}

// Passages returns the critical sections of f, including those inside its callees, in the
// order of their first accesses.
func (p *Guards) Passages(f *process.Func) []Passage { return p.passages[f.ID] }

func (p *Guards) passagesOf(f *process.Func) []Passage {
	index := make(map[funcsum.PassageID]int)
	var out []Passage
	for i, e := range f.Events {
		info := p.Location(e.Loc)
		for _, h := range e.Holds {
			if !GuardedBy(info, h) || !Concerns(h.Guard, e.Loc, e.Base) {
				continue
			}
			key := h.Passage()
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

// GuardedBy reports whether a hold is of a guard of the location, or is the critical
// section of a single atomic operation on it.
func GuardedBy(i *fact.LocInfo, h funcsum.Hold) bool {
	if i.Constant() {
		return false
	}
	return slices.Contains(i.Guards, h.Class) || h.Inner && i.Atomic && h.IsAtomicOf(i.Loc)
}
