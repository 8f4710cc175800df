package viewconsistency

import (
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/view"
	"github.com/atomvet/atomvet/passes/summary"
)

// A view names objects in the terms of the function that has it: s.files and
// s.meta.counts. What the sections of another function access is the same pair
// of variables if its objects stand in the same relation: t.db.files and
// t.db.meta.counts, seen from t.db.

// An instance is a view brought into the terms of the function at hand, with
// what its sections have of it.
type instance struct {
	view     view.Set[string]
	sections []view.Set[string]
	// events are, for each section, the accesses to each variable.
	events []map[string][]int
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

// instances returns the instances of m that at least two variables of the
// function are in.
func (d *detector) instances(m *summary.View, category string, sections []*section) []*instance {
	shape := d.shapes[m]
	if shape == nil {
		shape = shapeOf(m)
		d.shapes[m] = shape
	}
	byOwner := make(map[accesspath.Path]*instance)
	var order []accesspath.Path
	add := func(owner accesspath.Path, name string, section, event int) {
		in := byOwner[owner]
		if in == nil {
			in = &instance{view: shape.all, sections: make([]view.Set[string], len(sections)), events: make([]map[string][]int, len(sections))}
			byOwner[owner] = in
			order = append(order, owner)
		}
		if in.events[section] == nil {
			in.events[section] = make(map[string][]int)
		}
		in.events[section][name] = append(in.events[section][name], event)
		in.sections[section] = view.Of(append(in.sections[section], name)...)
	}
	for n, s := range sections {
		for _, i := range s.own {
			e := d.f.Events[i]
			if !takes(category, e) || e.Base == accesspath.Unknown {
				continue
			}
			for k, x := range m.Vars {
				if x.Loc != e.Loc {
					continue
				}
				if of, ok := ownerOf(e.Base, x.Base, shape.owner); ok {
					add(of, shape.names[k], n, i)
				}
			}
		}
	}
	out := make([]*instance, 0, len(order))
	for _, o := range order {
		out = append(out, byOwner[o])
	}
	return out
}

// loc returns the location that a name in an instance is of.
func (*instance) loc(name string) accesspath.Location {
	l, _, _ := strings.Cut(name, " ")
	return accesspath.Location(l)
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

// ownerOf returns what stands to base as the owner of a view stands to the
// object of one of its variables.
func ownerOf(base, object, owner accesspath.Path) (accesspath.Path, bool) {
	if owner == accesspath.Unknown {
		return accesspath.Unknown, base == object && base.IsGlobal()
	}
	rest, ok := strings.CutSuffix(string(base), suffix(object, owner))
	return accesspath.Path(rest), ok && rest != ""
}
