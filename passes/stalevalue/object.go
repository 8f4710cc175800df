package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// These are links by the lifecycle of objects that are found in a container.

// abandons: an object is removed from the table that it is found in, because of what was
// read in the object under its own lock, while others fill it.
//
//	o.mu.Lock(); empty := len(o.items) == 0; o.mu.Unlock()
//	if empty {
//		t.mu.Lock(); delete(t.objects, o.id); t.mu.Unlock()
//	}
//
// What another goroutine, which has found the object before, puts into it is lost.
func (p *pair) abandons() bool {
	r, w := p.read, p.act
	if !p.depends() || !p.decides || w.Op&summary.Delete == 0 || r.Key != "" || w.Base.Within(r.Base) || !identifies(w, r.Base) {
		return false
	}
	filled := slices.ContainsFunc(p.info.Writers, func(o summary.Writer) bool {
		return (o.Effect == summary.Raises || o.Part && o.Effect != summary.Removes) && o.Func != summary.Name(p.d.f.Fn)
	})
	return filled && slices.ContainsFunc(p.facts(), func(f fact) bool { return f.equal && f.to == "0" })
}

// identifies reports whether the element that w deletes is the object at a path: its key
// is the object or a part of it, or the object was found there.
func identifies(w *summary.Event, object accesspath.Path) bool {
	key := accesspath.Path(w.Key)
	return w.Key != "" && object != accesspath.Unknown &&
		(key.Within(object) || accesspath.Same(object, object) && object.Within(w.ElementPath()))
}

// marksDead: the section of the read marks the object as dead.
//
//	o.mu.Lock(); empty := len(o.items) == 0; o.dead = empty; o.mu.Unlock()
//
// Another goroutine that has found the object sees the mark.
func (c *candidate) marksDead() bool {
	r := c.read
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Const != "" && e.Loc != r.Loc && accesspath.Same(e.Base, r.Base) && summary.SharePassage(e, r)
	})
}

// isRevivable: an object is removed from a container because its atomic reference count
// has come to zero.
//
//	if o.refs.Add(-1) == 0 {
//		t.mu.Lock(); delete(t.objects, o.id); t.mu.Unlock()
//	}
//
// Another goroutine may still find it there, and count up. The object has been found in the container, or the key of what
// is removed is a part of it; or the function is given both, and its callers have found the object under that key; or both are
// in one handle, and others find such objects in the container.
//
//	if h.item.refs.Add(-1) == 0 { t.mu.Lock(); delete(t.objects, h.id); t.mu.Unlock() }
func (p *pair) isRevivable() bool {
	r, w := p.read, p.act
	if !p.depends() || w.Op&summary.Delete == 0 || r.Op&summary.Compare != 0 || !r.Writes() || !r.Delta() || !p.info.Atomic || p.d.oneSection(r, w) {
		return false
	}
	found, keyed := r.Base.Within(w.MemberPath()) && r.Base != w.MemberPath(), r.Base != accesspath.Unknown && w.Key.Path().Parent() == r.Base
	if !found && !keyed && !p.ofOneHandle() && !(isParameter(r.Base) && p.d.others.InCalls(p.d.f, r.Base, w.ElementPath(), accesspath.Path.Within)) {
		return false
	}
	return slices.ContainsFunc(p.info.Writers, func(o summary.Writer) bool {
		return o.Effect == summary.Raises && o.Func != summary.Name(p.d.f.Fn)
	})
}

// ofOneHandle reports whether the counted object and the key are parts of one object, and others find the objects that they count
// up in the container.
func (p *pair) ofOneHandle() bool {
	handle := p.read.Base.Parent()
	return handle != p.read.Base && p.act.Key.Path().Parent() == handle && slices.ContainsFunc(p.d.pkg.Funcs, func(g *summary.Func) bool {
		return slices.ContainsFunc(g.Events, func(e *summary.Event) bool {
			return e.Writes() && e.Loc == p.read.Loc && e.Traits.Effect(e.Op) == summary.Raises && g.FoundIn(e.Base, p.act.Loc)
		})
	})
}

// outlives: something is put into what is emptied by the function that sets the atomic
// flag which was checked.
//
//	if p.closed.Load() {
//		return
//	}
//	p.mu.Lock(); p.free = append(p.free, c); p.mu.Unlock()
//
// Close sets the flag, empties the pool, and never sees what is put in afterwards.
func (p *pair) outlives() bool {
	w := p.act
	if !p.depends() || !p.info.Atomic || !p.decides || w.Hold(p.guard.Path) != nil || w.Op&(summary.Delete|summary.Fixed) != 0 || !related(p.read.Base, w.Base) {
		return false
	}
	info := p.d.pkg.Location(w.Loc)
	return !info.Constant() && slices.ContainsFunc(p.info.Writers, func(closer summary.Writer) bool {
		return closer.Func != summary.Name(p.d.f.Fn) && slices.ContainsFunc(info.Writers, func(o summary.Writer) bool {
			return o.Func == closer.Func && (o.Effect == summary.Removes || o.Const == "nil")
		})
	})
}
