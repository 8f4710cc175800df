package atomicset

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// What is inferred is what people do with the lock; that all they do in one
// function must be one atomic step is not. So a sequence counts only
//   - if all its accesses are made under the guard, and no other lock is held from
//     the first to the last of the unit: the others are data races, or on objects
//     that only one goroutine has, or that lock is known there by another name;
//   - if the second access of the unit depends on the first, or what they read
//     comes together, and the unit does not look again and decide by that;
//   - if it is not about steps between two writes of one location, which others
//     may well see, nor about one that is only set once or only gets new elements.
// A lock of the guard's class without a name is taken for the one of the object.

// inferSets proposes atomic sets: the fields of a type, or package variables,
// that one guard guards and that are written together, directly or by way of
// others, in passages through it. A field that is not written together with any
// other is a set of its own.
func inferSets(pass *analysis.Pass, pkg *summary.Package) []*atomicSet {
	var out []*atomicSet
	for _, g := range groups(pass, pkg) {
		for _, locs := range together(pkg, g) {
			s := &atomicSet{owner: g.owner, inferred: true, guard: g.guard, pos: position(pass, locs[0])}
			var names []string
			for _, l := range locs {
				m := member{loc: l}
				if g.owner != "" {
					m.sel = strings.TrimPrefix(string(l), g.owner)
				}
				s.members = append(s.members, m)
				names = append(names, m.name())
			}
			s.name = "{" + strings.Join(names, ", ") + "}"
			out = append(out, s)
		}
	}
	return out
}

// A group is the locations of one owner that one guard guards.
type group struct {
	owner string
	guard accesspath.Location
	locs  []accesspath.Location
}

func groups(pass *analysis.Pass, pkg *summary.Package) []group {
	var out []group
	for _, l := range pkg.Locations() {
		info := pkg.Location(l)
		if l.Pkg() != pass.Pkg.Path() || info.Constant() || len(info.Guards) == 0 {
			continue
		}
		owner := ""
		if l.Type() != "" {
			owner = l.Pkg() + "#" + l.Type()
		}
		i := slices.IndexFunc(out, func(g group) bool { return g.owner == owner && g.guard == info.Guards[0] })
		if i < 0 {
			i = len(out)
			out = append(out, group{owner: owner, guard: info.Guards[0]})
		}
		out[i].locs = append(out[i].locs, l)
	}
	return out
}

// together splits a group into the sets of what is written together.
func together(pkg *summary.Package, g group) [][]accesspath.Location {
	set := make(map[accesspath.Location]int)
	for i, l := range g.locs {
		set[l] = i
	}
	for _, v := range pkg.Views(g.locs) {
		if v.Kind != summary.WriteView || v.Guard != g.guard {
			continue
		}
		first := -1
		for _, x := range v.Vars {
			n, ok := set[x.Loc]
			if !ok {
				continue
			}
			if first < 0 {
				first = n
			}
			for l, m := range set {
				if m == n {
					set[l] = first
				}
			}
		}
	}
	byNumber := make(map[int][]accesspath.Location)
	for _, l := range g.locs {
		byNumber[set[l]] = append(byNumber[set[l]], l)
	}
	var out [][]accesspath.Location
	for _, l := range g.locs {
		if list := byNumber[set[l]]; list[0] == l {
			out = append(out, list)
		}
	}
	return out
}

// position returns where a location is declared.
func position(pass *analysis.Pass, l accesspath.Location) token.Pos {
	scope := pass.Pkg.Scope()
	if l.Type() == "" {
		if obj := scope.Lookup(l.Name()); obj != nil {
			return obj.Pos()
		}
		return 0
	}
	obj := scope.Lookup(l.Type())
	if obj == nil {
		return 0
	}
	if st, ok := obj.Type().Underlying().(*types.Struct); ok {
		for i := range st.NumFields() {
			if strings.HasSuffix(string(l), "."+st.Field(i).Name()) {
				return st.Field(i).Pos()
			}
		}
	}
	return obj.Pos()
}

// guarded reports whether an access is made under the guard of an inferred set.
func (b *builder) guarded(e *summary.Event) bool {
	guard := b.t.set.guard
	if !b.t.set.inferred || slices.ContainsFunc(e.Holds, func(h summary.Hold) bool { return h.Class == guard }) {
		return true
	}
	return slices.ContainsFunc(b.in.f.Entry, func(g lockset.Guard) bool { return g.Class == guard })
}

// guardName returns the path of a lock that has none, if it is of the class of
// the guard of an inferred set.
func (t *translator) guardName(g lockset.Guard) accesspath.Path {
	if !t.set.inferred || g.Class != t.set.guard {
		return accesspath.Unknown
	}
	if field, ok := strings.CutPrefix(string(g.Class), t.set.owner+"."); ok {
		return object.Field(field)
	}
	return around.Field(g.Class.Name())
}

// plausible reports whether a violation of an inferred set may be a mistake.
func (a *analyzed) plausible(v *violation) bool {
	if !v.set.inferred {
		return true
	}
	if v.trace == nil || v.through || v.scenario.Number == 3 || v.scenario.Number == 5 || a.settles(v) {
		return false
	}
	own := v.accessesOf(0)
	// Both may be made in a function that the unit calls.
	name, places := own[0].Within, [2]token.Pos{own[0].Site, own[1].Site}
	if own[0].Where == own[1].Where {
		name, places = own[0].Where, [2]token.Pos{own[0].Pos, own[1].Pos}
	}
	i := slices.IndexFunc(a.pkg.Funcs, func(f *summary.Func) bool { return summary.Name(f.Fn) == name })
	if i < 0 {
		return true // not known
	}
	return a.dependent(a.pkg.Funcs[i], places)
}

// settles reports whether the scenario is about one location that is a latch, or
// only gets elements that were not there: who looks twice may find it set, or the
// element there, the second time, and that is what it is for.
func (a *analyzed) settles(v *violation) bool {
	if v.scenario.Locations() != 1 {
		return false
	}
	m := v.set.members[slices.IndexFunc(v.set.members, func(m member) bool { return m.name() == v.names[0] })]
	info := a.pkg.Location(m.loc)
	return info.Latch != "" || info.InsertOnly
}

// dependent reports whether what a function does in the second of two places
// depends on what it did in the first, or may do so for all that is known, and
// it does not look again before.
func (a *analyzed) dependent(f *summary.Func, places [2]token.Pos) bool {
	at := func(pos token.Pos) []int {
		var out []int
		for i, e := range f.Events {
			if e.Instr.Pos() == pos || e.Pos.Pos == pos {
				out = append(out, i)
			}
		}
		return out
	}
	firsts, seconds := elementsOf(f, at(places[0])), at(places[1])
	for _, i := range firsts {
		for _, j := range seconds {
			if a.looksAgain(f, i, j) {
				continue
			}
			e := f.Events[j]
			if slices.Contains(e.Data, i) || slices.Contains(e.Control, i) {
				return true
			}
			if _, joined := a.pkg.Joined(f, f.Events[i], e); joined {
				return true
			}
		}
	}
	return len(firsts) == 0 || len(seconds) == 0
}

// elementsOf adds to the reads of containers those of their elements: a lookup
// reads the field that holds the map, and then the map.
func elementsOf(f *summary.Func, reads []int) []int {
	out := slices.Clone(reads)
	for _, i := range reads {
		for k, e := range f.Events {
			uses := func(v *ssa.Value) bool { return slices.Contains(f.Events[i].Values, *v) }
			if e.Loc == f.Events[i].Loc && e.Reads() && k != i && slices.ContainsFunc(e.Instr.Operands(nil), uses) {
				out = append(out, k)
			}
		}
	}
	return out
}

// looksAgain reports whether a function decides about event j, or with it, by what
// it reads of the location after event i.
func (a *analyzed) looksAgain(f *summary.Func, i, j int) bool {
	first, second := f.Events[i], f.Events[j]
	if first.Loc != second.Loc || first.Key != second.Key {
		return false
	}
	if !second.Writes() {
		for range a.pkg.BranchesOn(f, second.Values) {
			return true
		}
		return false
	}
	return slices.ContainsFunc(second.Control, func(k int) bool {
		e := f.Events[k]
		return k != i && e.Loc == first.Loc && e.Key == first.Key && e.Ord > first.Ord
	})
}
