package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// countsLate: an object is found in a container, and its users are counted up after the
// section of the look-up.
//
//	s.mu.Lock(); o := s.objects[k]; s.mu.Unlock()
//	if o != nil { o.users.Add(1) } // release: if o.users.Add(-1) == 0 { remove(o) }
//
// In between the last user may have removed the object, and disposed of it. It is the other
// side of revivable-object. A variable that another object is written to is such a container, too.
func (p *pair) countsLate() bool {
	r, w := p.read, p.act
	if !w.Delta() || w.Op&summary.Compare != 0 || w.Effect() != summary.Raises || !p.isOnFound() {
		return false
	}
	return len(p.d.others.Drops(r.Loc, w.Loc)) > 0
}

// entersLate: what keeps the object in the container is that a container in it is not empty, and
// the first element is put into that one after the section of the look-up.
//
//	s.mu.Lock(); r := s.rooms[k]; s.mu.Unlock()
//	r.add(m) // leave: r.remove(m); if r.size() == 0 { delete(s.rooms, r.name) }
//
// The element is then in an object that nobody finds.
func (p *pair) entersLate() bool {
	r, w := p.read, p.act
	if r.Key == "" || w.Key == "" && !p.appends() || w.Op&summary.Delete != 0 || !p.isOnFound() || p.isPinned() {
		return false
	}
	return len(p.d.others.DropsEmpty(r.Loc, w.Loc)) > 0
}

// fillsLate: something is added to an object, under a lock of its own, after the section in which it was found.
//
//	m.mu.Lock(); t := m.active; m.mu.Unlock()
//	t.put(k, v) // flush: full := m.active; m.active = newTable(); ...; m.write(full.sorted())
//
// In between the object may have been taken out, and what is in it used: what is added is lost. An object that its user
// marks in the section in which it finds it is kept by that.
func (p *pair) fillsLate() bool {
	r, w := p.read, p.act
	if w.Op&summary.Delete != 0 || w.Hold(p.guard.Path) != nil || !p.isOnFound() || p.isPinned() {
		return false
	}
	return len(p.d.others.TakesOut(r.Loc, w.Loc)) > 0
}

// isPinned reports whether the function changes something in the object while it holds the guard of the read.
//
//	m.mu.Lock(); t := m.active; t.writers.Add(1); m.mu.Unlock()
func (p *pair) isPinned() bool {
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e != p.act && e.Loc != p.read.Loc && e.Base == p.act.Base && e.Hold(p.guard.Path) != nil
	})
}

// isOnFound reports whether the act is on the object that the read has found, in another section, which
// has not looked the object up again; LoadOrStore is a look-up, too. That a list is asked how long it is, before something is appended, is no such look.
func (p *pair) isOnFound() bool {
	r, w := p.read, p.act
	return r.Loc != w.Loc && (!r.Writes() || r.Op&summary.Compare != 0) && (!w.Looked() || p.appends()) && p.finds() && !p.d.handles(w, r)
}

// finds reports whether the act is on the object that the read has found: the element, or what the variable
// points to.
func (p *pair) finds() bool {
	if p.read.Key == "" {
		return slices.ContainsFunc(p.read.Values, func(v ssa.Value) bool { return ssautil.IsPointer(v) && p.d.f.Res.Resolve(v).Path == p.act.Base })
	}
	object := p.read.ElementPath()
	return accesspath.Same(p.act.Base, p.act.Base) && p.act.Base.Within(object) || p.d.cameFrom(p.act, p.read)
}
