package viewconsistency

import (
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A view names objects in the terms of the function that has it: s.files and
// s.meta.counts. What the sections of another function access is the same pair
// of variables if its objects stand in the same relation: t.db.files and
// t.db.meta.counts, seen from t.db.

// A shape is a view by location.
type shape map[accesspath.Location][]accesspath.Path // the objects of the variables

func (d *detector) shapeOf(m *summary.View) shape {
	s := d.shapes[m]
	if s == nil {
		s = make(shape)
		for _, x := range m.Vars {
			s[x.Loc] = append(s[x.Loc], x.Base)
		}
		d.shapes[m] = s
	}
	return s
}

// has reports whether a view has the variables of both accesses, in the terms of the
// function: they are variables of one owner, and of one element of it if the view is of
// elements. What else the view has, of other owners, says nothing about the two.
func (d *detector) has(m *summary.View, p pair) bool {
	s := d.shapeOf(m)
	for _, x := range s[p.one.Loc] {
		for _, y := range s[p.two.Loc] {
			owner := commonOwner(x, y)
			of, element, ok := ownerOf(p.one.Base, x, owner)
			if !ok {
				continue
			}
			other, key, ok := ownerOf(p.two.Base, y, owner)
			if ok && other == of && (element == "" || key == "" || element == key) {
				return true
			}
		}
	}
	return false
}

// commonOwner returns the longest path that both objects are within, "" if there is none.
func commonOwner(x, y accesspath.Path) accesspath.Path {
	owner := x
	for owner != accesspath.Unknown && !y.Within(owner) {
		owner = owner.Parent()
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
