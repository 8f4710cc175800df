package viewconsistency

import (
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A view names objects in the terms of the function that has it: s.files and
// s.meta.counts. What the sections of another function access is the same pair
// of variables if its objects stand in the same relation: t.db.files and
// t.db.meta.counts, seen from t.db.

// A shape is a view as seen from the owner of its variables.
type shape struct {
	owner accesspath.Path
	vars  map[accesspath.Location][]accesspath.Path // the objects of the variables
	// variables is the number of the variables that are not parts of others.
	variables int
}

func (d *detector) shapeOf(m *summary.View) *shape {
	s := d.shapes[m]
	if s == nil {
		vars := named(m.Vars)
		s = &shape{commonOwner(vars), make(map[accesspath.Location][]accesspath.Path), countWholes(m.Vars)}
		for _, x := range vars {
			s.vars[x.Loc] = append(s.vars[x.Loc], x.Base)
		}
		d.shapes[m] = s
	}
	return s
}

// countWholes returns the number of variables that are not parts of others, as s.meta.counts is of s.meta.
func countWholes(vars []summary.Var) int {
	objects := make([]accesspath.Path, len(vars))
	for i, x := range vars {
		objects[i] = x.Loc.Of(x.Base)
	}
	n := 0
	for _, x := range vars {
		if !slices.ContainsFunc(objects, func(whole accesspath.Path) bool { return x.Base.Within(whole) }) {
			n++
		}
	}
	return n
}

// has reports whether a view has the variables of both accesses, in the terms of the
// function: they are variables of one owner, and of one element of it if the view is of
// elements.
func (d *detector) has(m *summary.View, p pair) bool {
	s := d.shapeOf(m)
	for _, x := range s.vars[p.one.Loc] {
		of, element, ok := ownerOf(p.one.Base, x, s.owner)
		if !ok {
			continue
		}
		for _, y := range s.vars[p.two.Loc] {
			if x != y && ownLock(m, p) {
				continue
			}
			other, key, ok := ownerOf(p.two.Base, y, s.owner)
			if ok && other == of && (element == "" || key == "" || element == key) {
				return true
			}
		}
	}
	return false
}

// ownLock reports whether the guard of a view is a field of the type of both locations: it
// guards those of its own object, and the two objects of the view were only met by the way.
//
//	c.mu.Lock(); c.conn = dial(); c.conn.Write(b); c.mu.Unlock() // c.conn may be another such object
func ownLock(m *summary.View, p pair) bool {
	return isFieldOf(p.one.Loc, m.Guard.Type()) && isFieldOf(p.two.Loc, m.Guard.Type())
}

// isFieldOf reports whether a location is a field of a type, and not one of a struct in it.
func isFieldOf(l accesspath.Location, of string) bool {
	return of != "" && l.Type() == of && strings.Count(l.Name(), ".") == 1
}

// named returns the variables of a view whose objects the callers of the function can name.
// What else the section has written, of an object that it has made or found by the way, has
// no owner in common with them. If there are no two such variables, it returns all.
func named(vars []summary.Var) []summary.Var {
	out := slices.DeleteFunc(slices.Clone(vars), func(x summary.Var) bool { return x.Base.IsLocal() })
	if len(out) < 2 {
		return vars
	}
	return out
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
