package views

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A finder collects views.
type finder struct {
	*guards.Guards
	views []*fact.View
}

// findAccessViews collects the views that do not separate reads from writes.
func (p *finder) findAccessViews() {
	for f := range p.Sharing() {
		for _, passage := range p.Passages(f) {
			if !passage.IsAtomic() && begins(passage, f) {
				for _, events := range f.Alternatives(passage.Events) {
					p.addView(f, passage, fact.AccessView, events)
				}
			}
		}
	}
}

// findViews collects the views of the critical sections that the functions of the package
// begin. A critical section inside a callee is counted at the callee.
func (p *finder) findViews() {
	for f := range p.Sharing() {
		if len(f.Events) > 0 {
			p.viewsOf(f)
			p.nestedViews(f)
			p.pairView(f)
			p.orderViews(f)
		}
	}
}

func (p *finder) viewsOf(f *process.Func) {
	for _, passage := range p.Passages(f) {
		if passage.IsAtomic() || !begins(passage, f) {
			continue
		}
		for _, events := range f.Alternatives(passage.Events) {
			p.viewsOn(f, passage, events)
		}
	}
}

// viewsOn adds the views of a critical section with the given accesses.
func (p *finder) viewsOn(f *process.Func, passage guards.Passage, events []int) {
	var reads, writes []int
	for _, i := range events {
		e := f.Events[i]
		if e.Writes() {
			writes = append(writes, i)
		}
		if e.Reads() {
			reads = append(reads, i)
		}
	}
	p.addView(f, passage, fact.WriteView, writes)
	p.addView(f, passage, fact.ReadView, reads)
	if len(reads) < 2 {
		return
	}
	var results []int
	for _, list := range f.ResultReads {
		results = funcsum.Union(results, list)
	}
	p.addView(f, passage, fact.JoinedView, common(reads, results))
	for i, e := range f.Events {
		if e.Writes() && len(e.Data)+len(e.Control) > 1 && (slices.Contains(events, i) || !slices.Contains(passage.Events, i)) {
			p.addView(f, passage, fact.JoinedView, common(reads, funcsum.Union(e.Data, e.Control)))
		}
	}
}

// nestedViews adds the write views of critical sections in which other guards are taken, in
// line or by callees: the section's own writes under its guard, together with the writes under
// theirs. To whoever respects the outer guard they are one step.
//
//	s.mu.Lock()
//	delete(s.shards, k)
//	t.mu.Lock(); delete(t.names, s.name); t.mu.Unlock()
//	s.mu.Unlock()
func (p *finder) nestedViews(f *process.Func) {
	for _, passage := range p.Passages(f) {
		if passage.Inner || passage.IsAtomic() {
			continue
		}
		var writes []int
		nested := false
		for i, e := range f.Events {
			if !e.Writes() || !slices.ContainsFunc(e.Holds, passage.SamePassage) {
				continue
			}
			info := p.Location(e.Loc)
			if guards.GuardedBy(info, passage.Hold) {
				writes = append(writes, i)
			} else if slices.ContainsFunc(e.Holds, func(h funcsum.Hold) bool { return guards.GuardedBy(info, h) && takenInside(f, h, passage) }) {
				writes = append(writes, i)
				nested = true
			}
		}
		if nested && len(writes) > 1 {
			p.addView(f, passage, fact.WriteView, writes)
			p.views[len(p.views)-1].Nested = true
		}
	}
}

// takenInside reports whether a guard is taken, on some path, while the guard of a critical
// section is held: by a callee, or in line.
func takenInside(f *process.Func, h funcsum.Hold, in guards.Passage) bool {
	if h.Inner {
		return true
	}
	return slices.ContainsFunc(h.Sites, func(site int) bool {
		return site != lockset.Entry && slices.ContainsFunc(in.Sites, func(outer int) bool {
			return outer == lockset.Entry || f.Order().StaysBetween(f.Instr(outer), f.Instr(site), in.Path)
		})
	})
}

// pairView adds the view of the atomic variables that f stores under the same control
// dependence.
func (p *finder) pairView(f *process.Func) {
	var stores []int
	for i, e := range f.Events {
		info := p.Location(e.Loc)
		if !e.Writes() || e.Reads() || e.Op&(fact.Fixed|fact.Delete) != 0 || e.Clock() || info.Constant() || info.Counter || !info.Atomic || len(info.Guards) > 0 {
			continue
		}
		if copies(f, e) {
			continue
		}
		if len(stores) > 0 && !slices.Equal(f.Branches(f.Events[stores[0]]), f.Branches(e)) {
			continue
		}
		stores = append(stores, i)
	}
	if len(stores) > 0 {
		p.addView(f, guards.Passage{}, fact.PairView, stores)
	}
}

// copies reports whether a write stores what was read from the same field, maybe of another
// object. A copy of an object stores the fields independently of each other.
func copies(f *process.Func, e *funcsum.Event) bool {
	return !e.Reads() && slices.ContainsFunc(e.Data, func(i int) bool { return f.Events[i].Loc == e.Loc })
}

// begins reports whether the views of critical section p are counted at f: f takes the
// guard, or f passes to the callee that takes it a literal with some of the accesses.
func begins(p guards.Passage, f *process.Func) bool {
	return !p.Inner || !p.Region.OfLiteral() && slices.ContainsFunc(p.Events, func(i int) bool { return f.Events[i].Within != nil })
}

// common returns the elements of a that are in the sorted list b.
func common(a, b []int) []int {
	var out []int
	for _, i := range a {
		if _, found := slices.BinarySearch(b, i); found {
			out = append(out, i)
		}
	}
	return out
}

// addView adds the view of some accesses of a critical section.
func (p *finder) addView(f *process.Func, passage guards.Passage, kind fact.ViewKind, events []int) {
	v := &fact.View{Kind: kind, Guard: passage.Class, Func: f.Sum.Name, Fn: f.ID}
	for n, i := range events {
		e := f.Events[i]
		switch x := (fact.Var{Loc: e.Loc, Base: e.Base}); {
		case slices.Contains(v.Vars, x):
		case len(v.Vars) < limit.ViewVars:
			v.Vars = append(v.Vars, x)
		default:
			p.Limits.Add(f.Sum.Name, "ViewVars")
		}
		locks := f.Locks(e)
		if n == 0 {
			v.Locks, v.Pos = locks, p.Pos(e.Pos.Pos)
			continue
		}
		v.Locks = slices.DeleteFunc(v.Locks, func(l accesspath.Location) bool { return !slices.Contains(locks, l) })
	}
	v.Removals = removals(f, events)
	slices.SortFunc(v.Vars, compareVars)
	if len(v.Vars) == 0 || kind == fact.JoinedView && len(v.Vars) < 2 {
		return
	}
	p.views = append(p.views, v)
}

// removals returns the locations that the given writes only clear: they delete elements, leave a part of a list,
// or store nil or the zero value.
func removals(f *process.Func, events []int) []accesspath.Location {
	var removed, filled []accesspath.Location
	for _, i := range events {
		e := f.Events[i]
		switch {
		case !e.Writes():
		case e.Op&fact.Delete != 0 || e.Shrinks() || e.Op&fact.Fixed != 0 && (e.Const == "nil" || e.Const == "") || empties(e):
			removed = append(removed, e.Loc)
		default:
			filled = append(filled, e.Loc)
		}
	}
	removed = slices.DeleteFunc(removed, func(l accesspath.Location) bool { return slices.Contains(filled, l) })
	slices.Sort(removed)
	return slices.Compact(removed)
}

// empties reports whether a write stores a new map without elements.
func empties(e *funcsum.Event) bool {
	if e.Key != "" || len(e.Inputs) != 1 {
		return false
	}
	m, ok := e.Inputs[0].(*ssa.MakeMap)
	return ok && len(*m.Referrers()) == 1
}

// With returns the views with at least two of the given locations, including those that
// the packages which declare the locations have exported.
func (p *Views) With(locs []accesspath.Location) []*fact.View {
	for _, l := range locs {
		if pkg := l.Pkg(); pkg != p.Pkg.Path() && p.Foreign.Views[pkg] == nil {
			p.views.add(p.Foreign.ViewsOf(pkg))
		}
	}
	return p.views.sharing(locs)
}

// AccessesWith returns the views of the package that do not separate reads from writes and
// that have at least two of the given locations.
func (p *Views) AccessesWith(locs []accesspath.Location) []*fact.View {
	return p.accessViews().sharing(locs)
}

// An index has views by location.
type index map[accesspath.Location][]*fact.View

func (x index) add(views []*fact.View) {
	for _, v := range views {
		for i, of := range v.Vars {
			if i == 0 || v.Vars[i-1].Loc != of.Loc {
				x[of.Loc] = append(x[of.Loc], v)
			}
		}
	}
}

// sharing returns the views with at least two of the locations.
func (x index) sharing(locs []accesspath.Location) []*fact.View {
	var out []*fact.View
	seen := make(map[*fact.View]int)
	for _, l := range locs {
		for _, v := range x[l] {
			if seen[v]++; seen[v] == 2 {
				out = append(out, v)
			}
		}
	}
	return out
}

// Stored reports whether most functions that store one of two atomic variables store the
// other, too. A function with callers in the package counts as a part of the callers.
func (p *Views) Stored(x, y accesspath.Location) bool {
	return p.both(fact.PairView, x, y, func(either, both int) bool { return both > 0 && both*2 >= either })
}

// ReadTogether reports whether at least half of the critical sections that read either of
// two locations use both for one result, write or branch.
func (p *Views) ReadTogether(x, y accesspath.Location) bool {
	return p.both(fact.JoinedView, x, y, func(either, both int) bool { return both*2 >= either })
}

// UsedTogether reports whether some critical section uses both of two locations for one result, write or branch.
func (p *Views) UsedTogether(x, y accesspath.Location) bool {
	return slices.ContainsFunc(p.views[x], func(v *fact.View) bool { return v.Kind == fact.JoinedView && v.Has(y) })
}

// A pairQuestion identifies a call of both: how often two locations are in one view.
type pairQuestion struct {
	kind fact.ViewKind
	x, y accesspath.Location
}

// both counts the critical sections with either of two locations, and those with both in
// a view of the kind, and applies enough to the two counts.
func (p *Views) both(kind fact.ViewKind, x, y accesspath.Location, enough func(either, both int) bool) bool {
	q := pairQuestion{kind, x, y}
	if answer, ok := p.answers[q]; ok {
		return answer
	}
	shared := make(map[fact.Pos]bool)
	for _, v := range p.views[x] {
		if v.Kind == kind && v.Has(y) && p.counts(v) {
			shared[v.Pos] = true
		}
	}
	p.answers[q] = enough(max(p.using(kind, x), p.using(kind, y)), len(shared))
	return p.answers[q]
}

// using returns the number of the critical sections that could have location l in a view of the kind.
func (p *Views) using(kind fact.ViewKind, l accesspath.Location) int {
	n := 0
	for _, v := range p.views[l] {
		switch {
		case !p.counts(v):
		case kind == fact.JoinedView:
			if v.Kind == fact.ReadView && !p.replaces(v, l) {
				n++
			}
		case v.Kind == kind:
			n++
		}
	}
	return n
}

// counts reports whether a view is that of a critical section, or of a function that a goroutine begins with: atomic
// operations of another function are also in the views of its callers.
func (p *Views) counts(v *fact.View) bool {
	return !unlocked(v) || v.Fn >= 0 && p.IsRoot(p.Funcs[v.Fn])
}

// replaces reports whether the function of a view returns what it has read of location l, and stores another value
// there under the lock of the view, whatever that was: the section hands out what it replaces.
//
//	s.mu.Lock(); old := s.conf; s.conf = conf; s.mu.Unlock()
func (p *Views) replaces(v *fact.View, l accesspath.Location) bool {
	if v.Fn < 0 {
		return false
	}
	f := p.Funcs[v.Fn]
	isOf := func(i int) bool { return f.Events[i].Loc == l }
	if !slices.ContainsFunc(f.ResultReads, func(list []int) bool { return slices.ContainsFunc(list, isOf) }) {
		return false
	}
	return slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool {
		return e.Loc == l && e.Writes() && !e.Reads() && e.Key == "" &&
			slices.ContainsFunc(e.Holds, func(h funcsum.Hold) bool { return h.Class == v.Guard }) &&
			!slices.ContainsFunc(e.Data, isOf) && !slices.ContainsFunc(e.Control, isOf)
	})
}

// unlocked reports whether a view is one of atomic variables, without a critical section.
func unlocked(v *fact.View) bool { return v.Kind == fact.PairView || v.Kind == fact.OrderView }

func compareVars(a, b fact.Var) int {
	return cmp.Or(cmp.Compare(a.Loc, b.Loc), cmp.Compare(a.Base, b.Base))
}
