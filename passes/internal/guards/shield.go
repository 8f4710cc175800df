package guards

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// Outer locks: an object of another package at whose every use this package holds a lock
// of its own is guarded by that lock. The facts of the other package list the writers
// with their inner lock only; within this package both locks are held. The outer lock is
// not exported as a fact: an importer may have such an object without that lock.

// shield adds to the writers of the locations of other packages the locks that are held
// at every call of them in this package.
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

// findOuterLocks returns, for each write in another package, by its position, the locks
// that are held at every call in this package of a function that makes the write.
func (p *Guards) findOuterLocks() map[string][]accesspath.Location {
	out := make(map[string][]accesspath.Location)
	for _, f := range p.Funcs {
		if f.Constructs() || f.Test {
			continue
		}
		for _, e := range f.Events {
			if e.Callee == nil || !e.Callee.Foreign || !e.Writes() || e.Loc.Pkg() == p.Pkg.Path() {
				continue // no write of another package, or one that is asked about in the callee
			}
			at := e.Callee.Accesses[e.Index].Pos.Text
			held := p.withAliases(f.Locks(e))
			if before, ok := out[at]; ok {
				held = slices.DeleteFunc(held, func(l accesspath.Location) bool { return !slices.Contains(before, l) })
			}
			out[at] = held
		}
	}
	return out
}
