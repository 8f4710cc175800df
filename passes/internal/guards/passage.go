package guards

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A Passage is one passage of a function through a guard, with what that guard
// guards of what is accessed in it.
type Passage struct {
	funcsum.Hold
	Events []int // indexes into Func.Events
}

// Passages returns the passages of f, those inside its callees too, in the order
// in which they first access something.
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

// GuardedBy reports whether a hold is of a guard of the location, or is the one
// step of an atomic operation on it.
func GuardedBy(i *fact.LocInfo, h funcsum.Hold) bool {
	if i.Constant() {
		return false
	}
	return slices.Contains(i.Guards, h.Class) || h.Inner && i.Atomic && h.IsAtomicOf(i.Loc)
}
