package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// An object that nobody needs any more is taken out of the table that it can be found
// in. Who asks the object, under its lock, and takes it out later, under that of the
// table, may take out one that somebody has found and filled in between: what was put
// into it is lost.

// abandons reports whether the act takes an object out of a container because of what
// was read in the object, which others fill, and which is not marked as dead by then.
func (d *detector) abandons(s *stale) bool {
	r, w := s.read, s.act
	if !s.check || w.Op&summary.Delete == 0 || r.Key != "" || w.Base.Within(r.Base) || !identifies(w, r.Base) || d.onePassage(r, w) || d.buries(r) {
		return false
	}
	filled := slices.ContainsFunc(s.info.Writers, func(o summary.Writer) bool {
		return (o.Effect == summary.Raises || o.Part && o.Effect != summary.Removes) && o.Func != summary.Name(d.f.Fn)
	})
	return filled && slices.ContainsFunc(d.facts(s), func(f fact) bool { return f.equal && f.to == "0" })
}

// identifies reports whether the element that w deletes is the object at a path: its key
// is the object or a part of it, or the object was found there.
func identifies(w *summary.Event, object accesspath.Path) bool {
	key := accesspath.Path(w.Key)
	return w.Key != "" && object != accesspath.Unknown &&
		(key.Within(object) || accesspath.Same(object, object) && object.Within(w.MemberPath().Index(w.Key)))
}

// buries reports whether the passage of r marks the object as dead: who has found it
// can see that.
func (d *detector) buries(r *summary.Event) bool {
	return slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Const != "" && e.Loc != r.Loc && accesspath.Same(e.Base, r.Base) && summary.SharePassage(e, r)
	})
}
