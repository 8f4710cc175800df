package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// owned reports whether the passage of r, through a guard of its location, goes
// on to write what was read, or has just counted there.
func (d *detector) owned(r *summary.Event) bool {
	if !r.Owned() || r.Callee != nil {
		return r.Owned()
	}
	info := d.pkg.Location(r.Loc)
	if info == nil {
		return false
	}
	order := d.f.Order()
	for _, w := range d.f.Events {
		if !w.Writes() || w.Loc != r.Loc || w.Ord == r.Ord || w.Base != r.Base || !accesspath.KeysOverlap(r.Key, w.Key) {
			continue
		}
		for _, h := range r.Holds {
			g := w.Hold(h.Path)
			if g == nil || !slices.Contains(info.Guards, h.Class) {
				continue
			}
			if order.StaysBetween(r.Instr, w.Instr, h.Path) || w.Delta() && order.StaysBetween(w.Instr, r.Instr, h.Path) {
				return true
			}
		}
	}
	return false
}
