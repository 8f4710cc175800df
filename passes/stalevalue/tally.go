package stalevalue

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// isTally: what was found in all elements of a container decides whether one of them is changed, in the variable
// that was looked at. It is write skew between elements: each has a lock of its own, so that of two goroutines which
// change two elements each may have counted the other one as it was.
//
//	if s.serving() <= s.least { // goes through s.replicas, and locks each
//		return errTooFew
//	}
//	s.replicas[id].drain() // one less is serving
//
// To look at the state of that one element again, in the section that changes it, is no second look at the others. An
// element that was chosen by the search is no tally.
func (p *pair) isTally() bool {
	r, w := p.read, p.act
	element := r.Key == "" && w.Key == "" && r.Base.IsAnyOf(w.Base) ||
		r.Key == accesspath.AnyKey && w.Key != "" && !w.Key.HasAny() && r.Base == w.Base
	return !p.data && p.decides && r.Loc == w.Loc && element && p.d.decides(r, w) && !p.isKeyed()
}

// isKeyed reports whether the key of the act is computed from what was read.
func (p *pair) isKeyed() bool {
	for _, k := range append(p.act.Base.Keys(), p.act.Key) {
		if v := p.d.f.Res.Definition(k.Path().Root()); v != nil && p.d.f.Slice(v).HasAny(p.read.Values) {
			return true
		}
	}
	return false
}
