package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// isUnordered: a section takes a variable to its next value, and a later one puts that value in place of an older one
// somewhere else. Two runs may come to the second section in the other order, and the older value stays:
//
//	low := w.finish(offset) // w.low++ under w.mu
//	o.commit(low)           // o.committed = low, not max(o.committed, low)
//
// Only a place that all runs share keeps an older value: an element under a key that is given to the function, or
// computed from the value, is another one in each run. A number that is drawn from an atomic counter is a name.
func (p *pair) isUnordered() bool {
	r, w := p.read, p.act
	return p.data && !p.guard.IsAtomic() && r.Loc != w.Loc && !w.Base.IsLocal() && w.Const == "" && !w.Delta() && w.Op&(summary.Delete|summary.Content) == 0 && len(w.Added) == 0 &&
		p.isShared() && p.advance() != nil
}

// isShared reports whether all runs of the function on an object write the same variable.
func (p *pair) isShared() bool {
	for _, k := range append(p.act.Base.Keys(), p.act.Key) {
		at := k.Path()
		if _, constant := k.Const(); k != "" && !constant && (at == at.Root() || at.IsLocal() || at.IsComputed() || k.IsNested() || k.HasAny() || at.Within(p.read.MemberPath())) {
			return false
		}
	}
	return true
}

// advance returns the write by which the section of the read takes the variable to its next value, or nil.
func (p *pair) advance() *summary.Event {
	i := slices.IndexFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Const == "" && e.Op&summary.Delete == 0 && e.Key == "" && e.Loc == p.read.Loc && accesspath.Same(e.Base, p.read.Base) &&
			(e == p.read || summary.SharePassage(e, p.read)) && (e.Delta() || p.d.raises(e))
	})
	if i < 0 {
		return nil
	}
	return p.d.f.Events[i]
}
