package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

func (d *detector) interferer(s *stale) *summary.Writer {
	through := d.heldThrough(s.read, s.act)
	var own *summary.Writer
	for i := range s.info.Writers {
		w := &s.info.Writers[i]
		if slices.ContainsFunc(w.Guards, func(g accesspath.Location) bool { return slices.Contains(through, g) }) {
			continue
		}
		if !d.pkg.Concurrent(d.f, w) {
			continue
		}
		if w.Pos.Pos == s.act.Pos.Pos && w.Pos.Pos.IsValid() {
			own = w
			continue
		}
		return w
	}
	return own
}

func (d *detector) underWritersLock(s *stale) bool {
	through := d.heldThrough(s.read, s.act)
	return slices.ContainsFunc(s.info.Writers, func(w summary.Writer) bool {
		return slices.ContainsFunc(w.Guards, func(g accesspath.Location) bool { return slices.Contains(through, g) })
	})
}

func (d *detector) heldThrough(a, b *summary.Event) []accesspath.Location {
	var out []accesspath.Location
	for _, h := range a.Holds {
		g := b.Hold(h.Path)
		if g == nil || h.Inner || g.Inner {
			continue
		}
		if !d.endsBetween(a.Instr, b.Instr, h.Path) {
			out = append(out, h.Class)
		}
	}
	given := d.f.Flow.Given()
	for _, g := range d.f.Entry {
		released := false
		for _, x := range given {
			released = released || x.Path == g.Path
		}
		if !released {
			out = append(out, g.Class)
		}
	}
	return out
}

func (d *detector) splits(s *stale) bool {
	if s.guard.Inner {
		return d.flowsTo(s.read.Instr, s.act.Instr)
	}
	return d.endsBetween(s.read.Instr, s.act.Instr, s.guard.Path)
}
