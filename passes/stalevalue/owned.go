package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

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
	for _, w := range d.f.Events {
		if !w.Writes() || w.Loc != r.Loc || w.Ord == r.Ord || w.Base != r.Base || !accesspath.KeysOverlap(r.Key, w.Key) {
			continue
		}
		for _, h := range r.Holds {
			g := w.Hold(h.Path)
			if g == nil || !slices.Contains(info.Guards, h.Class) {
				continue
			}
			if d.staysHeld(r.Instr, w.Instr, h.Path) || w.Delta() && d.staysHeld(w.Instr, r.Instr, h.Path) {
				return true
			}
		}
	}
	return false
}

// staysHeld reports whether control can flow from one instruction to the other
// without giving up the guard.
func (d *detector) staysHeld(from, to ssa.Instruction, guard accesspath.Path) bool {
	releases := d.f.Order().Releases(guard)
	seen := make(map[*ssa.BasicBlock]bool)
	b := from.Block()
	work := [][]ssa.Instruction{b.Instrs[slices.Index(b.Instrs, from)+1:]}
	for len(work) > 0 {
		instrs := work[len(work)-1]
		work = work[:len(work)-1]
		given := false
		for _, instr := range instrs {
			if instr == to {
				return true
			}
			if given = releases[instr]; given {
				break
			}
		}
		if given || len(instrs) == 0 {
			continue
		}
		for _, s := range instrs[0].Block().Succs {
			if !seen[s] {
				seen[s] = true
				work = append(work, s.Instrs)
			}
		}
	}
	return false
}
