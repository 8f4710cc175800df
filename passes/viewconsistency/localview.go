package viewconsistency

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/view"
	"github.com/atomvet/atomvet/passes/summary"
)

// A view names objects in the terms of the function that has it: s.files and
// s.meta.counts. What the sections of another function access is the same pair
// of variables if its objects stand in the same relation: t.db.files and
// t.db.meta.counts, seen from t.db.

// A localView is a view brought into the terms of the function at hand, with
// what its sections have of it.
type localView struct {
	view     view.Set[string]
	parts    []*part
	overlaps []view.Set[string] // of the parts
}

// A part is what one section has of a view.
type part struct {
	section  *section
	accesses map[string][]int // to each variable
}

// A shape is a view with the names of its variables, as seen from their owner.
type shape struct {
	owner accesspath.Path
	names []string // of each variable
	all   view.Set[string]
}

func shapeOf(m *summary.View) *shape {
	s := &shape{owner: commonOwner(m.Vars), names: make([]string, len(m.Vars))}
	for i, x := range m.Vars {
		s.names[i] = string(x.Loc) + " " + suffix(x.Base, s.owner)
	}
	s.all = view.Of(s.names...)
	return s
}

// A match is an access of a section to a variable of a view.
type match struct {
	access
	owner accesspath.Path
	// element is what the key of an index of the view stands for here.
	element string
	name    string
}

// matches returns the accesses to the variables of m, in the order of the sections.
func (d *detector) matches(m *summary.View, shape *shape, t *taken) []match {
	var out []match
	for _, k := range t.of(m) {
		x := m.Vars[k]
		for _, a := range t.accesses[x.Loc] {
			if of, element, ok := ownerOf(d.f.Events[a.event].Base, x.Base, shape.owner); ok {
				out = append(out, match{a, of, element, shape.names[k]})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y match) int {
		return cmp.Or(cmp.Compare(x.n, y.n), cmp.Compare(x.event, y.event))
	})
	return out
}

// localViews returns what m is for the function: one for each owner of variables that
// the function accesses, and for each element of it where the view is of elements.
func (d *detector) localViews(m *summary.View, t *taken) []*localView {
	if len(t.of(m)) == 0 {
		return nil
	}
	shape := d.shapes[m]
	if shape == nil {
		shape = shapeOf(m)
		d.shapes[m] = shape
	}
	matches := d.matches(m, shape, t)
	type identity struct {
		owner   accesspath.Path
		element string
	}
	var order []identity
	for _, x := range matches {
		id := identity{x.owner, x.element}
		// What is not of an element belongs to each.
		plain := x.element == "" && slices.ContainsFunc(matches, func(o match) bool { return o.owner == x.owner && o.element != "" })
		if !plain && !slices.Contains(order, id) {
			order = append(order, id)
		}
	}
	out := make([]*localView, 0, len(order))
	for _, id := range order {
		in := &localView{view: shape.all}
		for _, x := range matches {
			if x.owner == id.owner && (x.element == id.element || x.element == "") {
				in.add(x)
			}
		}
		in.close()
		out = append(out, in)
	}
	return out
}

// add adds a match, those of one section one after the other.
func (in *localView) add(x match) {
	if len(in.parts) == 0 || in.parts[len(in.parts)-1].section != x.section {
		in.parts = append(in.parts, &part{x.section, make(map[string][]int)})
	}
	accesses := in.parts[len(in.parts)-1].accesses
	accesses[x.name] = append(accesses[x.name], x.event)
}

// close computes the overlaps.
func (in *localView) close() {
	for _, p := range in.parts {
		in.overlaps = append(in.overlaps, view.Of(slices.Collect(maps.Keys(p.accesses))...))
	}
}

// commonOwner returns the longest path that all objects of a view are within,
// "" if there is none.
func commonOwner(vars []summary.Var) accesspath.Path {
	owner := vars[0].Base
	for _, x := range vars[1:] {
		for owner != accesspath.Unknown && !x.Base.Within(owner) {
			owner = owner.Parent()
		}
	}
	return owner
}

func suffix(base, owner accesspath.Path) string {
	if owner == accesspath.Unknown {
		return string(base)
	}
	return string(base[len(owner):])
}

// ownerOf returns what stands to base as the owner of a view stands to the object
// of one of its variables, and which element of that it is, if the view is of
// elements under some key.
func ownerOf(base, object, owner accesspath.Path) (of accesspath.Path, element string, ok bool) {
	if owner == accesspath.Unknown {
		return accesspath.Unknown, "", base == object && base.IsGlobal()
	}
	rest, want := base, accesspath.Path(suffix(object, owner))
	for want != "" {
		last, lastWanted := rest.Last(), want.Last()
		if last == "" {
			return "", "", false
		}
		switch {
		case isVariable(lastWanted) && isIndex(last) && (element == "" || element == last):
			element = last
		case last != lastWanted:
			return "", "", false
		}
		rest, want = rest[:len(rest)-len(last)], want[:len(want)-len(lastWanted)]
	}
	return rest, element, rest != ""
}

// isIndex reports whether a selector is an index with a key that has a name.
func isIndex(sel string) bool { return sel[0] == '[' && !strings.Contains(sel, "*") }

// isVariable reports whether it is one with a key that others may have another
// name for.
func isVariable(sel string) bool { return isIndex(sel) && sel[1] != '=' }
