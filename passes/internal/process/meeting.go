package process

import (
	"iter"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// Two functions run at the same time if they meet in some pair of roots: neither root is over, or not begun, when the other
// one runs there, and they do not run for different objects. All that asks who runs beside whom asks for such pairs.

// Concurrent reports whether writer w can run concurrently with f, on the object at base.
func (p *Processes) Concurrent(f *Func, base accesspath.Path, w *fact.Writer) bool {
	if w.Fn < 0 {
		return !p.Procs.Alone(f.ID)
	}
	g, of := p.written(w)
	return p.ConcurrentActivities(Activity{F: f, Base: base}, Activity{F: g, Base: of})
}

// ConcurrentAt reports whether writer w can run concurrently with access e of f.
func (p *Processes) ConcurrentAt(f *Func, e *funcsum.Event, w *fact.Writer) bool {
	if w.Fn < 0 {
		return !p.Procs.Alone(f.ID)
	}
	g := p.Funcs[w.Fn]
	by := g.WriteOf(w)
	if by == nil {
		by = &funcsum.Event{}
	}
	return p.ConcurrentAccesses(f, e, g, by)
}

// ConcurrentView reports whether the function of a view can run concurrently with access e
// of f.
func (p *Processes) ConcurrentView(f *Func, e *funcsum.Event, v *fact.View) bool {
	if v.Fn < 0 {
		return !p.Procs.Alone(f.ID)
	}
	return p.ConcurrentActivities(activityOf(f, e), Activity{F: p.Funcs[v.Fn], Base: baseIn(v, e.Loc)})
}

// ConcurrentOn reports whether f on the object at base, and g on that at of, can run at the same
// time.
func (p *Processes) ConcurrentOn(f *Func, base accesspath.Path, g *Func, of accesspath.Path) bool {
	return p.ConcurrentActivities(Activity{F: f, Base: base}, Activity{F: g, Base: of})
}

// ConcurrentAccesses reports whether access a of f and access b of g can be made at the same time: neither comes before the other's
// goroutine is started, or after it has been waited for.
func (p *Processes) ConcurrentAccesses(f *Func, a *funcsum.Event, g *Func, b *funcsum.Event) bool {
	return p.ConcurrentActivities(activityOf(f, a), activityOf(g, b))
}

// BesideItself reports whether f can run concurrently with itself on the object at base.
func (p *Processes) BesideItself(f *Func, base accesspath.Path) bool {
	own := Activity{F: f, Base: base}
	return p.ConcurrentActivities(own, own)
}

// written returns the function of a writer in the package, and the object that it writes, if
// that has a name.
func (p *Processes) written(w *fact.Writer) (*Func, accesspath.Path) {
	g := p.Funcs[w.Fn]
	if e := g.WriteOf(w); e != nil {
		return g, e.Base
	}
	return g, accesspath.Unknown
}

// baseIn returns the object of a view that has a location, or Unknown.
func baseIn(v *fact.View, l accesspath.Location) accesspath.Path {
	if i := slices.IndexFunc(v.Vars, func(x fact.Var) bool { return x.Loc == l }); i >= 0 {
		return v.Vars[i].Base
	}
	return accesspath.Unknown
}

// ConcurrentActivities reports whether two activities can happen at the same time.
func (p *Processes) ConcurrentActivities(a, b Activity) bool {
	return p.meets(a, b) && !p.isLeftTo(a, b)
}

// meets reports whether there is a pair of roots in which two activities happen at the same time.
func (p *Processes) meets(a, b Activity) bool {
	if len(p.Procs.reach[a.F.ID]) > limit.Roots || len(p.Procs.reach[b.F.ID]) > limit.Roots {
		return true
	}
	for range p.meetings(a, b) {
		return true
	}
	return false
}

// meetings yields the pairs of roots in which two activities happen at the same time: the roots of a and of b.
func (p *Processes) meetings(a, b Activity) iter.Seq2[int, int] {
	p.findJoined()
	g := p.Procs
	return func(yield func(int, int) bool) {
		for _, j := range g.reach[b.F.ID] {
			for _, i := range g.reach[a.F.ID] {
				if g.together(i, a.F.ID, j, b.F.ID) && !p.separates(i, a, j, b) && !p.isOver(g.roots[j], a) && !p.isOver(g.roots[i], b) &&
					!p.comesBefore(a, j, b) && !p.comesBefore(b, i, a) && !yield(i, j) {
					return
				}
			}
		}
	}
}
