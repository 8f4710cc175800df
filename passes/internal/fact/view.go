package fact

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// A Var is a variable of a view: a location of one object.
type Var struct {
	Loc  accesspath.Location
	Base accesspath.Path // the object that Loc is a part of, in the terms of the function
}

// A ViewKind is the kind of accesses that make up a view.
type ViewKind uint8

const (
	// WriteView is the set of the variables that a critical section writes.
	WriteView ViewKind = iota
	// ReadView is the set of the variables that a critical section reads.
	ReadView
	// AccessView is the set of the variables that a critical section reads or writes.
	AccessView
	// PairView is the set of the atomic variables that a function stores one after the
	// other. It has no guard: other goroutines can observe a part of the stores.
	PairView
	// JoinedView is the set of the variables whose reads have a common correlation: their
	// values are used in the same result or the same write (Dias, Pessanha, Lourenço,
	// section 4.3).
	JoinedView
	// OrderView is the set of the atomic variables that a function writes one after the
	// other, in any way and under the same control dependence. The order decides which of
	// them others see first.
	OrderView
)

// A View is the set of the variables that a critical section of a function accesses in one
// way and that its guard guards.
type View struct {
	// Kind is the way, and Guard the class of the guard.
	Kind  ViewKind
	Guard accesspath.Location
	Vars  []Var // sorted
	// Removals are the locations from which the critical section only removes elements.
	Removals []accesspath.Location
	// Nested is set if some variable has a guard of its own inside the critical section,
	// and is also accessed without the outer guard. Such views are not exported.
	Nested bool
	// Locks are the classes of the locks that must be held at all the accesses.
	Locks []accesspath.Location
	Func  string // name, as messages show it
	Pos   Pos    // position of the first access
	Fn    int    // callgraph.FuncID in the analyzed package, -1 in others
}

// Takes reports whether the critical section only removes elements from location l.
func (v *View) Takes(l accesspath.Location) bool { return slices.Contains(v.Removals, l) }

// Locations returns the locations of the view that the package with path pkg declares.
func (v *View) Locations(pkg string) []accesspath.Location {
	var out []accesspath.Location
	for _, x := range v.Vars {
		if x.Loc.Pkg() == pkg && (len(out) == 0 || out[len(out)-1] != x.Loc) {
			out = append(out, x.Loc)
		}
	}
	return out
}

// Shares reports whether the view has at least two of the given locations, which are
// sorted.
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

// Has reports whether the view has a variable of location l.
func (v *View) Has(l accesspath.Location) bool {
	return slices.ContainsFunc(v.Vars, func(x Var) bool { return x.Loc == l })
}
