package counterpart

import (
	"slices"
	"sync"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Drops returns the functions that delete from a container because of a count in the object,
// which they read:
//
//	if o.users.Add(-1) == 0 {
//		t.mu.Lock(); delete(t.objects, o.id); t.mu.Unlock()
//	}
//
// or that take an object out, and give up the use of the container: the last user ends it.
//
//	t.mu.Lock(); o := t.objects[id]; delete(t.objects, id); t.mu.Unlock()
//	o.release() // if o.users.Add(-1) == 0 { o.file.Close() }
//
// or ask whether there is any user left.
//
//	o.retire() // if o.users.Load() == 0 { o.file.Close() }
//
// A variable is a container of one object: to write another one there takes out the first.
func (p *Finder) Drops(container, count accesspath.Location) []fact.Writer {
	if !p.Location(count).Counter {
		return nil
	}
	return p.allDrops()[container][count]
}

// DropsEmpty returns the functions that delete from a container because of a container in the object,
// which they read as a whole:
//
//	if len(r.members) == 0 { delete(h.rooms, r.name) }
func (p *Finder) DropsEmpty(container, members accesspath.Location) []fact.Writer {
	return p.allDrops()[container][members]
}

func (p *Finder) allDrops() pairing[fact.Writer] {
	return pairs(p, &p.drops, p.findDrops)
}

func (p *Finder) findDrops(f *process.Func) {
	takers := sync.OnceValue(func() map[accesspath.Path][]taker { return takersOf(f) }) // few functions take objects out
	for _, e := range f.Events {
		p.findGivenUp(f, e, takers)
		if e.Op&fact.Delete == 0 {
			continue
		}
		// The count decides whether the element is deleted, or which one is.
		for _, i := range slices.Concat(e.Control, e.Data) {
			r := f.Events[i]
			if info := p.Location(r.Loc); !r.Reads() || r.Loc == e.Loc || info.Constant() || !info.Counter && r.Key != "" {
				continue
			}
			p.drops.add(e.Loc, r.Loc, withLocks(f, e))
		}
	}
}

// findGivenUp notes the counts that f lowers or reads, and decides by, of the object that the write out deletes from
// a container, or replaces.
func (p *Finder) findGivenUp(f *process.Func, out *funcsum.Event, takers func() map[accesspath.Path][]taker) {
	if !out.Writes() || out.Base.IsLocal() {
		return
	}
	objects := takenOut(f, out)
	for _, w := range f.Events {
		if !w.Delta() || !w.Looked() || w.Loc == out.Loc || !slices.ContainsFunc(objects, w.Base.Within) && !isOfTakenOut(f, out, w) || w.Effect() != fact.Lowers {
			continue
		}
		p.drops.add(out.Loc, w.Loc, withLocks(f, out))
	}
	for _, object := range objects {
		p.findAsked(f, object, f, out)
		for _, t := range takers()[object] {
			p.findAsked(p.Funcs[t.fn], accesspath.Param(t.param), f, out)
		}
	}
}

// takersOf returns the callees of f by the objects that they are given.
func takersOf(f *process.Func) map[accesspath.Path][]taker {
	takers := make(map[accesspath.Path][]taker)
	for _, call := range f.Calls {
		if call.Callee < 0 || call.Instr == nil || call.Instr.Common().IsInvoke() {
			continue
		}
		for i, arg := range call.Instr.Common().Args {
			if ssautil.IsPointer(arg) {
				path := f.Res.Resolve(arg).Path
				takers[path] = append(takers[path], taker{call.Callee, i})
			}
		}
	}
	return takers
}

// findAsked notes the counts in the object at a path of g that g compares with zero: f deletes the object by the write out.
func (p *Finder) findAsked(g *process.Func, object accesspath.Path, f *process.Func, out *funcsum.Event) {
	for _, e := range g.Events {
		if e.Reads() && !e.Writes() && e.Base.Within(object) && p.asksForZero(g, e) {
			p.drops.add(out.Loc, e.Loc, withLocks(f, out))
		}
	}
}

// takenOut returns the paths of the object that a write takes out of a container: of the element under
// the key, or of what f has read in the variable until then.
func takenOut(f *process.Func, out *funcsum.Event) []accesspath.Path {
	if out.Op&fact.Delete != 0 && out.Key != "" {
		return []accesspath.Path{out.ElementPath()}
	}
	if out.Key != "" || out.Delta() || out.Op&fact.Content != 0 {
		return nil
	}
	var paths []accesspath.Path
	for _, r := range f.Events {
		if !r.Reads() || r.Loc != out.Loc || r.Base != out.Base || r.Key != "" || r != out && !f.Order().Flows(r.Instr, out.Instr) {
			continue
		}
		for _, v := range r.Values {
			if path := f.Res.Resolve(v).Path; ssautil.IsPointer(v) && path != accesspath.Unknown {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// isOfTakenOut reports whether e is an access to an element of a list or map after the write out has put another list or
// map, with fewer elements or none, into its place.
//
//	t.mu.Lock(); old := t.objects[:n]; t.objects = t.objects[n:]; t.mu.Unlock()
//	for _, o := range old { o.release() }
func isOfTakenOut(f *process.Func, out, e *funcsum.Event) bool {
	return out.Key == "" && objectTakenOut(out) != nil && e.Base != out.MemberPath() && e.Base.Within(out.MemberPath()) && f.Order().Flows(out.Instr, e.Instr)
}
