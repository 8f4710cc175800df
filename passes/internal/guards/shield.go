package guards

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// An object of another package that this package always uses with some lock of
// its own held has been put under that lock. What the other package knows of its
// writers does not tell: there they need their own lock only. Within this package
// they need both. This is not passed on to the packages that import this one,
// which may have such an object without that lock.

// shield adds to the writers of the locations of other packages the locks that
// this package holds wherever it calls them.
func (p *Guards) shield() {
	p.outerLocks = p.findOuterLocks()
	for l, i := range p.Locs {
		if l.Pkg() != p.Pkg.Path() {
			p.Locs[l] = p.shielded(i)
		}
	}
}

func (p *Guards) shielded(old *fact.LocInfo) *fact.LocInfo {
	i := *old
	i.Writers = slices.Clone(old.Writers)
	for k := range i.Writers {
		w := &i.Writers[k]
		if w.Fn < 0 {
			w.Guards = append(slices.Clone(w.Guards), p.outerLocks[w.Pos.Text]...)
		}
	}
	return &i
}

// findOuterLocks returns, for each write in another package, by its position, the
// locks that are held wherever this package calls what makes it.
func (p *Guards) findOuterLocks() map[string][]accesspath.Location {
	out := make(map[string][]accesspath.Location)
	for _, f := range p.Funcs {
		if f.Constructs() || f.Test {
			continue
		}
		for _, e := range f.Events {
			if e.Callee == nil || !e.Writes() || e.Loc.Pkg() == p.Pkg.Path() {
				continue
			}
			at := e.Callee.Accesses[e.Index].Pos.Text
			held := f.Locks(e)
			if before, ok := out[at]; ok {
				held = slices.DeleteFunc(held, func(l accesspath.Location) bool { return !slices.Contains(before, l) })
			}
			out[at] = held
		}
	}
	return out
}
