package atomicset

import (
	"go/token"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// An atomicSet is a set of locations of one object, or of package variables, that have to
// be consistent with each other.
type atomicSet struct {
	name string
	// owner is the type whose objects have the set, as pkg#Type, or "" for a
	// set of package variables.
	owner   string
	members []member
	pos     token.Pos
	// inferred says that the set is not declared: its members are the locations that
	// guard, a lock identified by its declaration, guards.
	inferred bool
	guard    accesspath.Location
}

// A member is one location of a set.
type member struct {
	// sel is the selector of the location in an object of the owner: .count, or
	// .Inner.count in an embedded struct. It is "" for a package variable.
	sel string
	loc accesspath.Location
}

// object is the root of the paths of the one object that the model follows: an arbitrary
// object of the type, without the others (random isolation, Kidd et al., section 5).
const object accesspath.Path = "o"

// around is the root from which the object was reached.
const around accesspath.Path = "w"

// path returns the path of the member.
func (m member) path() accesspath.Path {
	if m.sel == "" {
		return accesspath.Path(m.loc)
	}
	return object + accesspath.Path(m.sel)
}

// name returns the member as messages show it.
func (m member) name() string {
	if m.sel == "" {
		return m.loc.Name()
	}
	return m.sel[1:]
}

// inner returns the selector of the struct that the member is a field of.
func (m member) inner() string {
	return m.sel[:max(0, strings.LastIndexByte(m.sel, '.'))]
}

// find returns the index of the member that contains the memory at path, or -1.
func (s *atomicSet) find(path accesspath.Path) int {
	for i, m := range s.members {
		if path.Within(m.path()) {
			return i
		}
	}
	return -1
}

// accessed is find for an access to a location. Unless the access is to memory inside the
// member, the location must be that of the member.
func (s *atomicSet) accessed(path accesspath.Path, loc accesspath.Location) int {
	i := s.find(path)
	if i >= 0 && path == s.members[i].path() && loc != s.members[i].loc {
		return -1 // an object of another type
	}
	return i
}

// has returns the members at a location: an embedded type may occur twice.
func (s *atomicSet) has(l accesspath.Location) []member {
	var out []member
	for _, m := range s.members {
		if m.loc == l {
			out = append(out, m)
		}
	}
	return out
}

// String returns the set as messages show it.
func (s *atomicSet) String() string {
	if s.owner == "" {
		return s.name
	}
	return s.name + " of " + s.owner[strings.LastIndexByte(s.owner, '#')+1:]
}
