package fact

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// A Var is a variable of a view: a location of one object.
type Var struct {
	Loc  accesspath.Location
	Base accesspath.Path // the object, in the terms of the function
}

// ViewKind tells what a view holds.
type ViewKind uint8

const (
	// WriteView is what a region writes.
	WriteView ViewKind = iota
	// ReadView is what it reads.
	ReadView
	// AccessView is both.
	AccessView
	// PairView is what a function stores in atomic variables, one after the
	// other. It has no guard: others may see a part of it.
	PairView
	// JoinedView is, of what it reads, what comes together in its results or
	// in one write: reads with a common correlation (Dias, Pessanha,
	// Lourenço, section 4.3).
	JoinedView
)

// A View is the set of the variables that a region of a function accesses in one
// way and that its guard guards.
type View struct {
	Kind  ViewKind
	Guard accesspath.Location // class
	Vars  []Var               // sorted
	// Removals are the locations of which the region only removes elements.
	Removals []accesspath.Location
	// Nested says that some of it has a guard of its own within the region,
	// and is also accessed without the guard of the region.
	Nested bool
	// Locks are the classes of the locks held at all the accesses.
	Locks []accesspath.Location
	Func  string // name, as in a message
	Pos   Pos    // the first access
	Fn    int    // in the package being analyzed, else -1
}

// Takes reports whether the region only removes something from location l.
func (v *View) Takes(l accesspath.Location) bool { return slices.Contains(v.Removals, l) }

// Locations returns the locations of a view that a package declares.
func (v *View) Locations(pkg string) []accesspath.Location {
	var out []accesspath.Location
	for _, x := range v.Vars {
		if x.Loc.Pkg() == pkg && (len(out) == 0 || out[len(out)-1] != x.Loc) {
			out = append(out, x.Loc)
		}
	}
	return out
}

// Shares reports whether the view has at least two of the given locations, which
// are sorted.
func (v *View) Shares(locs []accesspath.Location) bool {
	n := 0
	for i, x := range v.Vars {
		if i > 0 && v.Vars[i-1].Loc == x.Loc {
			continue
		}
		if _, found := slices.BinarySearch(locs, x.Loc); found {
			if n++; n == 2 {
				return true
			}
		}
	}
	return false
}

// Has reports whether a variable of the view is of location l.
func (v *View) Has(l accesspath.Location) bool {
	return slices.ContainsFunc(v.Vars, func(x Var) bool { return x.Loc == l })
}
