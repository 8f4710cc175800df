package viewconsistency

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// The number of views of a package times the number of accesses of its functions is
// quadratic in the code. Most views have nothing in common with a function but locations
// that nothing keeps consistent. So the function's locations are paired first, and only
// the views that have such a pair are brought into the terms of the function.

// taken is what the sections of a function access in a way that a relation is about.
type taken struct {
	accesses map[accesspath.Location][]access
	// partners are, for each location, those that the pairwise rules leave as its
	// partners, sorted.
	partners map[accesspath.Location][]accesspath.Location
}

// An access is an event of the function in one of its sections.
type access struct {
	n       int // of the section
	section *section
	event   int
}

// takenApart pairs the locations that the sections access. The view is any one that has
// the relation.
func (d *detector) takenApart(r relation, m *summary.View, sections []*section) *taken {
	t := &taken{make(map[accesspath.Location][]access), make(map[accesspath.Location][]accesspath.Location)}
	var locs []accesspath.Location
	for n, s := range sections {
		for _, i := range s.own {
			e := d.f.Events[i]
			if !takes(r.category(), e) || e.Base == accesspath.Unknown {
				continue
			}
			if t.accesses[e.Loc] == nil {
				locs = append(locs, e.Loc)
			}
			t.accesses[e.Loc] = append(t.accesses[e.Loc], access{n, s, i})
		}
	}
	slices.Sort(locs)
	for _, x := range locs {
		for _, y := range locs {
			if d.mayBelong(r, m, t.accesses[x][0], t.accesses[y][0]) {
				t.partners[x] = append(t.partners[x], y)
			}
		}
	}
	return t
}

// mayBelong reports whether the pairwise rules accept two locations, in either order.
// Explanations are given for all candidates.
func (d *detector) mayBelong(r relation, m *summary.View, x, y access) bool {
	if d.judge.Explains() {
		return true
	}
	one, two := d.f.Events[x.event], d.f.Events[y.event]
	return d.pairwise.Rejecting(d.judge, &candidate{d, r, m, one, two, x.section, y.section}) == nil ||
		d.pairwise.Rejecting(d.judge, &candidate{d, r, m, two, one, y.section, x.section}) == nil
}

// together reports whether two locations are partners.
func (t *taken) together(x, y accesspath.Location) bool {
	_, found := slices.BinarySearch(t.partners[x], y)
	return found
}

// of returns the indexes of the variables of a view that have a partner in the view.
func (t *taken) of(m *summary.View) []int {
	var out []int
	for i, x := range m.Vars {
		if partners := t.partners[x.Loc]; len(partners) > 0 &&
			slices.ContainsFunc(m.Vars, func(y summary.Var) bool { _, found := slices.BinarySearch(partners, y.Loc); return found }) {
			out = append(out, i)
		}
	}
	return out
}
