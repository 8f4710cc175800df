package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// These are the links by which an act depends on a read, by data or by control.

// updates: the value written to a cell is computed from what was read there.
//
//	s.mu.Lock(); n := s.n; s.mu.Unlock()
//	s.mu.Lock(); s.n = n + 1; s.mu.Unlock()
//
// The update of another goroutine in between is lost.
func (p *pair) updates() bool {
	return p.data && (p.sameCell() && !(p.act.Delta() && p.awaited) || p.putsBack()) && p.valueDepends()
}

// replacesObject reports whether the act stores an object that is computed from what the object that was read contains,
// whether or not that may change.
//
//	next := s.current.Load().clone() // of fields that others may write
//	s.current.Store(next)
func (p *pair) replacesObject() bool {
	for _, v := range p.read.Values {
		if !ssautil.IsReference(v.Type()) {
			continue
		}
		object := p.d.f.Res.Resolve(v).Path
		if slices.ContainsFunc(p.act.Data, func(i int) bool {
			e := p.d.f.Events[i]
			return object != accesspath.Unknown && e.Base == object && e.Loc != p.read.Loc && p.d.f.Order().Flows(p.read.Instr, e.Instr)
		}) {
			return true
		}
	}
	return false
}

// decidesOnCell: whether a cell is written depends on what was read there.
//
//	s.mu.Lock(); e := s.m[k]; s.mu.Unlock()
//	if e == nil {
//		s.mu.Lock(); s.m[k] = new(entry); s.mu.Unlock()
//	}
func (p *pair) decidesOnCell() bool {
	return p.sameCell() && slices.Contains(p.act.Control, p.readIndex)
}

// waitsOnCell: the read decides to wait, and the act comes after that without another
// look, see waits.
func (p *pair) waitsOnCell() bool {
	return p.decides && p.sameCell() && !slices.Contains(p.act.Control, p.readIndex)
}

// sums: an element is computed from an earlier value of another one, and its present one.
//
//	s.mu.Lock(); was := s.n[a]; s.mu.Unlock()
//	s.mu.Lock(); s.n[b] = s.n[a] - was; s.mu.Unlock()
func (p *pair) sums() bool { return p.read.Loc == p.act.Loc && p.data && p.mixes() }

// depends reports whether the act on another location depends on the read.
func (p *pair) depends() bool { return p.read.Loc != p.act.Loc && (p.data || p.decides) }

// underSameGuard reports whether the act is on another location under the guard that the
// read was made under.
func (p *pair) underSameGuard() bool { return p.depends() && p.act.Hold(p.guard.Path) != nil }

// underOtherGuard reports whether the act is on another location, and has another guard
// than the read of a location that is not atomic.
func (p *pair) underOtherGuard() bool {
	return p.depends() && p.act.Hold(p.guard.Path) == nil && !p.info.Atomic
}

// isJoint: some section writes the two locations together.
//
//	l.mu.Lock(); first := l.first; l.mu.Unlock()
//	l.mu.Lock(); l.last = first + l.n; l.mu.Unlock() // others set first and last as one
func (p *pair) isJoint() bool { return p.underSameGuard() && p.info.IsJoint(p.act.Loc) }

// valueIsHandled: the value goes into another location, in a section that also
// handles what was read.
//
//	s.mu.Lock(); g := s.gen; s.mu.Unlock()
//	s.mu.Lock(); s.gen++; s.saved = g; s.mu.Unlock()
func (p *pair) valueIsHandled() bool {
	return p.underSameGuard() && p.data && p.d.handles(p.act, p.read)
}

// choiceIsHandled: a branch on what was read only leads to the act, in a section that
// also handles what was read.
//
//	s.mu.Lock(); closed := s.closed; s.mu.Unlock()
//	if !closed {
//		s.mu.Lock(); s.closed = false; s.conns++; s.mu.Unlock()
//	}
func (p *pair) choiceIsHandled() bool {
	return p.underSameGuard() && p.decides && p.d.handles(p.act, p.read) && p.d.f.LeadsTo(p.read, p.act.Instr.Block())
}

// isWrittenTogether: some function writes both, the second under another guard.
//
//	s.mu.Lock(); ok := s.open; s.mu.Unlock()
//	if ok {
//		s.list.mu.Lock(); s.list.n++; s.list.mu.Unlock() // close() clears open, then n
//	}
//
// What has the value that was read for its key is of that value, whatever the present one is.
//
//	if text, ok := s.text(name); ok { s.parsed.Store(text, parse(text)) }
func (p *pair) isWrittenTogether() bool {
	r, w := p.read, p.act
	return p.underOtherGuard() && p.decides && !p.isKeyed() && w.Base.Within(r.Base) && p.info.WrittenWith(w.Loc, w.Callee, p.d.f.Sum.Name)
}

// rebuilds: a container, whose elements others change in place, is replaced by one that
// was built from what was read.
//
//	s.mu.Lock(); names := keys(s.members); s.mu.Unlock()
//	s.imu.Lock(); s.index = build(names); s.imu.Unlock() // others add to members and index
//
// Elements that were put into the old container in between are lost.
func (p *pair) rebuilds() bool {
	w := p.act
	if !p.underOtherGuard() || !p.data || w.Key != "" || w.Callee != nil || len(w.Inputs) == 0 || !depgraph.IsContainer(w.Inputs[0].Type()) {
		return false
	}
	info := p.d.pkg.Location(w.Loc)
	return related(p.read.Base, w.Base) && !info.Constant() && info.WrittenWith(p.read.Loc, nil, p.d.f.Sum.Name) &&
		slices.ContainsFunc(info.Writers, func(o summary.Writer) bool { return o.Part && p.d.pkg.Processes().Concurrent(p.d.f, w.Base, &o) })
}

// caches: what was computed from the value is kept in an element of a container, and the
// functions that change the value also remove such elements.
//
//	s.mu.Lock(); v := s.value; s.mu.Unlock()
//	s.cmu.Lock(); s.cache[k] = render(v); s.cmu.Unlock() // set changes value, then deletes from cache
//
// An entry that is put in after the deletion stays, and is stale.
func (p *pair) caches() bool {
	w := p.act
	return p.underOtherGuard() && p.data && w.Key != "" && w.Op&summary.Delete == 0 && w.Callee == nil &&
		related(p.read.Base, w.Base) && p.valueDepends() && p.info.Updates(w.Loc)
}

// handles reports whether the section of w also handles what was read: it is part of
// its view.
func (d *detector) handles(w, r *summary.Event) bool {
	return slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return e != w && sameCell(e, r) && summary.SharePassage(e, w) && !summary.SharePassage(e, r)
	})
}

// valueDepends reports whether the value written, not just the key that it is
// written under, is computed from the stale one.
func (p *pair) valueDepends() bool {
	w := p.act
	if w.Op&summary.Delete != 0 {
		return false // there is only a key
	}
	if w.Callee != nil || w.Within != nil || len(w.Inputs) == 0 {
		return true
	}
	return p.d.f.Slice(w.Inputs[0]).HasAny(p.read.Values) || p.sameCell() && p.replacesObject()
}

// mixes reports whether the act writes something computed from both what was read
// and what is there at the time of the act.
func (p *pair) mixes() bool {
	return !p.sameCell() && slices.ContainsFunc(p.act.Data, func(i int) bool {
		e := p.d.f.Events[i]
		return i != p.readIndex && sameCell(e, p.read) && summary.SharePassage(e, p.act) && !summary.SharePassage(e, p.read)
	})
}

// grows reports whether the act adds something to what is there that is computed
// from what was there.
func (p *pair) grows() bool {
	return p.sameCell() && slices.ContainsFunc(p.act.Added, func(v ssa.Value) bool {
		return p.d.f.Adds(v, p.read.Values)
	})
}

// waits reports whether the read decides to wait for a change before the act, and
// control comes from there to the act without another look:
//
//	if len(q) == 0 {
//		cond.Wait()
//	}
//	q = q[1:]
//
// Another goroutine that was woken, too, may have changed it again.
func (p *pair) waits() bool {
	d := p.d
	if p.guard.Inner || p.read.Within != nil || p.act.Within != nil {
		return false
	}
	for _, k := range d.f.Order().Waits(p.guard.Path) {
		if k.Block() == p.read.Instr.Block() || !d.f.Order().Flows(p.read.Instr, k) ||
			!d.f.Order().Exists(summary.Way{From: k, To: p.act.Instr, Avoid: p.read.Instr}) {
			continue
		}
		for _, br := range d.f.DirectBranches(k.Block()) {
			if d.f.Slice(br.Cond).HasAny(p.read.Values) && d.f.Order().Exists(summary.Way{From: br, To: p.act.Instr, Avoid: k}) {
				return true
			}
		}
	}
	return false
}
