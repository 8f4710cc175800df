package atomicset

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// Inferred sets have further conditions: all accesses of a scenario are made under the
// guard, and no other lock is held from the first access of the unit to its last. An
// access without the guard is a data race, or on a confined object, or the guard has
// another name there. A lock of the guard's class whose path is unknown is taken for the
// guard of the object. The other conditions are in rules.

// inferSets proposes atomic sets: fields of a type, or package variables, with one guard
// that are written together in its critical sections, directly or transitively. A field
// that is not written together with another one is a set of its own.
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

// A group is the locations of one owner with a common guard.
type group struct {
	owner string
	guard accesspath.Location
	locs  []accesspath.Location
}

func groups(pass *analysis.Pass, pkg *summary.Package) []group {
	var out []group
	for _, l := range pkg.Guards().Locations() {
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

// together splits a group into the sets of locations that are written together.
func together(pkg *summary.Package, g group) [][]accesspath.Location {
	set := make(map[accesspath.Location]int)
	for i, l := range g.locs {
		set[l] = i
	}
	for _, v := range pkg.Views().With(g.locs) {
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

// position returns the position of the declaration of a location.
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
