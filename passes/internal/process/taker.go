package process

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A goroutine runs once per object if it is started under a flag of the object that is tested and
// set in one step, and never cleared:
//
//	func (s *Store) Start() {
//		s.mu.Lock()
//		if s.started { s.mu.Unlock(); return }
//		s.started = true
//		s.mu.Unlock()
//		go s.run()
//	}
//
// Of all that call Start one takes the flag. The flag may be an atomic variable, or a reference that
// is nil until then.
//
// One runs at a time, too, if the flag is cleared by the goroutine when it has nothing more to do, or
// by somebody who has waited for its end:
//
//	func (q *Queue) drain() {
//		for {
//			q.mu.Lock()
//			if len(q.jobs) == 0 { q.running = false; q.mu.Unlock(); return }
//			…
//
//	func (s *Store) Stop() { …; s.cancel(); <-s.done; s.cancel = nil; … }

// startedByTaker reports whether a goroutine is started under such a flag, and the names that the
// object has in it. There are none for a package variable.
func (p *Processes) startedByTaker(s site) (bool, owned) {
	for _, set := range s.caller.TakenAt(s.call.Instr) {
		if !p.isLatch(set.Loc) && !p.isHandedBack(set, s) {
			continue
		}
		if set.Base.IsGlobal() {
			return true, nil
		}
		own := owned{}
		for _, o := range objects(p.handed(s)) {
			if path := s.caller.Resolver().Resolve(o.value).Path; path != accesspath.Unknown && set.Base.Within(path) {
				own = append(own, o.as)
			}
		}
		if len(own) > 0 {
			return true, own
		}
	}
	return false, nil
}

// isLatch reports whether all writes of a flag, outside constructors, take it.
func (p *Processes) isLatch(flag accesspath.Location) bool {
	if known, ok := p.latches[flag]; ok {
		return known
	}
	if p.latches == nil {
		p.latches = make(map[accesspath.Location]bool)
	}
	p.latches[flag] = !slices.ContainsFunc(p.Funcs, func(f *Func) bool {
		return !f.Test && slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool {
			return e.Loc == flag && e.Writes() && e.Callee == nil && !f.Takes(e)
		})
	})
	return p.latches[flag]
}

// isHandedBack reports whether all writes of a flag, outside constructors, take it, or clear it when
// the goroutine of a site has no more to do.
func (p *Processes) isHandedBack(set *funcsum.Event, s site) bool {
	worker, ends := p.Funcs[s.call.Callee], p.endsOf(s, 2)
	return !slices.ContainsFunc(p.Funcs, func(f *Func) bool {
		return !f.Test && slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool {
			return e.Loc == set.Loc && e.Writes() && e.Callee == nil && !f.Takes(e) &&
				!(len(e.Holds) > 0 && (p.isFarewell(worker, f, e) || p.followsEnd(f, e, ends)))
		})
	})
}

// isFarewell reports whether a write of f is the last that the goroutine of worker does with shared
// memory: its section is, which may be that of a callee.
func (p *Processes) isFarewell(worker, f *Func, e *funcsum.Event) bool {
	if f == worker {
		return isFinal(f, e)
	}
	sites := p.sitesOf[f.ID]
	return len(sites) > 0 && isFinal(f, e) && !slices.ContainsFunc(sites, func(s site) bool {
		if s.caller != worker || s.call.Kind != fact.Called || s.call.Instr == nil {
			return true
		}
		return !slices.ContainsFunc(worker.Events, func(w *funcsum.Event) bool {
			return w.Instr == s.call.Instr && w.Loc == e.Loc && w.Writes() && isFinal(worker, w)
		})
	})
}

// isFinal reports whether no access of f comes after the section of e.
func isFinal(f *Func, e *funcsum.Event) bool {
	if _, deferred := e.Instr.(*ssa.Defer); deferred {
		return true
	}
	return !slices.ContainsFunc(f.Events, func(o *funcsum.Event) bool {
		_, deferred := o.Instr.(*ssa.Defer)
		return (deferred || f.Order().Flows(e.Instr, o.Instr)) && !funcsum.SharePassage(e, o)
	})
}

// followsEnd reports whether f has waited for one of the signals before an access.
func (p *Processes) followsEnd(f *Func, e *funcsum.Event, ends []accesspath.Location) bool {
	return slices.ContainsFunc(p.waitsOf(f, 2), func(w wait) bool { return slices.Contains(ends, w.group) && ssautil.Precedes(w.at, e.Instr) })
}

// rearms reports whether a goroutine is started by the one before, on the same object, as the last
// thing that this does: the two are one after the other.
//
//	func (b *Beat) tick() { …; time.AfterFunc(b.every, b.tick) }
func (p *Processes) rearms(s site) bool {
	f := s.caller
	if f.ID != s.call.Callee || s.call.Instr == nil || f.Fn.Signature.Recv() == nil || f.Paths().Reaches(s.call.Instr, s.call.Instr) {
		return false
	}
	own := slices.ContainsFunc(p.handed(s), func(o operand) bool {
		return o.as == accesspath.Param(0) && f.Resolver().Resolve(o.value).Path == accesspath.Param(0)
	})
	return own && !slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool {
		_, deferred := e.Instr.(*ssa.Defer)
		return deferred || e.Instr != s.call.Instr && f.Order().Flows(s.call.Instr, e.Instr)
	})
}
