package process

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
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

// startedByTaker reports whether a goroutine is started under such a flag, and the names that the
// object has in it. There are none for a package variable.
func (p *Processes) startedByTaker(s site) (bool, owned) {
	for _, set := range s.caller.TakenAt(s.call.Instr) {
		if !p.isLatch(set.Loc) {
			continue
		}
		if set.Base.IsGlobal() {
			return true, nil
		}
		own := owned{}
		for _, o := range objects(p.handed(s)) {
			if path := s.caller.resolver().Resolve(o.value).Path; path != accesspath.Unknown && set.Base.Within(path) {
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
