package summary

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A flag that a function finds clear and sets in one passage, and clears when it is
// done, is a claim: who comes in between turns away or waits. What the function calls
// meanwhile runs under a lock, though none is held, whose name is that of the flag:
//
//	if f := g.flights[key]; f != nil { … wait for f }
//	g.flights[key] = f
//	g.mu.Unlock()
//	f.value = load()
//	g.mu.Lock()
//	delete(g.flights, key)

// A claim is such a flag of a function.
type claim struct {
	guard      lockset.Guard
	set, clear *Event
}

// claims returns the claims of f.
func (f *Func) claims() []claim {
	var out []claim
	for _, set := range f.Events {
		if !set.Writes() || set.Callee != nil || set.Op&Delete != 0 || len(set.Holds) == 0 || set.Base.IsLocal() {
			continue
		}
		for _, i := range set.Control {
			test := f.Events[i]
			if !test.Reads() || !sameElement(test, set) || !SharePassage(test, set) {
				continue
			}
			if clear := f.clears(set); clear != nil {
				path := memberPath(set.Base, set.Loc)
				if set.Key != "" {
					path = path.Index(set.Key)
				}
				out = append(out, claim{lockset.Guard{Path: path, Class: set.Loc, Mode: lockset.Exclusive}, set, clear})
				break
			}
		}
	}
	return out
}

// clears returns the event that takes back what set has written, in a later passage,
// or nil.
func (f *Func) clears(set *Event) *Event {
	for _, e := range f.Events {
		if e.Writes() && sameElement(e, set) && !SharePassage(e, set) && (e.Op&Delete != 0 || e.Const != set.Const && e.Const != "" || e.Const == "nil") &&
			f.Order().Flows(set.Instr, e.Instr) {
			return e
		}
	}
	return nil
}

// sameElement reports whether two events access the same, as far as is known.
func sameElement(a, b *Event) bool {
	return a.Loc == b.Loc && accesspath.Same(a.Base, b.Base) && (a.Key == b.Key || accesspath.SameElement(a.Key, b.Key))
}

// claimed returns the claims of f that it has made, and not taken back, when it comes
// to instr.
func (f *Func) claimed(claims []claim, instr ssa.Instruction) []claim {
	if len(claims) == 0 {
		return nil
	}
	start, o := f.Fn.Blocks[0].Instrs[0], f.Order()
	return slices.DeleteFunc(slices.Clone(claims), func(c claim) bool {
		return c.set.Instr == instr || !o.MustPass(start, c.set.Instr, instr) || o.Flows(c.clear.Instr, instr) && !o.MustPass(c.clear.Instr, c.set.Instr, instr) ||
			c.clear.Instr != instr && !o.Flows(instr, c.clear.Instr)
	})
}
