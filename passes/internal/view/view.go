// Package view defines view consistency, on plain sets.
//
// A view is the set of variables that one critical section accesses under its guard. A
// thread that uses some variables in one critical section shows that they belong
// together; its maximal views are the largest such sets. Another thread is consistent
// with a maximal view if its own views overlap with it only in an order of inclusion: {x}
// and later {x,y} may be a check and then the act, but {x} and {y} split the pair. Such a
// split is a high-level data race, though every single access is guarded (C. Artho, K.
// Havelund, A. Biere, High-level data races, section 3).
//
// The same definition with reads separated from writes is the refinement of R. Dias, V.
// Pessanha, J. Lourenço, Precise detection of atomicity violations (HVC 2012), section
// 4: two threads that only read do not interfere, and a split read is a defect only if
// the values have a common correlation.
//
// The package is independent of programs: the definitions are the papers' own.
package view

import (
	"cmp"
	"slices"
)

// A Set is a set of variables, sorted and without duplicates.
type Set[V cmp.Ordered] []V

// Of returns the set of the given variables.
func Of[V cmp.Ordered](vars ...V) Set[V] {
	s := slices.Clone(vars)
	slices.Sort(s)
	return slices.Compact(s)
}

// Contains reports whether v is in s.
func (s Set[V]) Contains(v V) bool {
	_, found := slices.BinarySearch(s, v)
	return found
}

// SubsetOf reports whether all of s is in t.
func (s Set[V]) SubsetOf(t Set[V]) bool {
	for _, v := range s {
		if !t.Contains(v) {
			return false
		}
	}
	return true
}

// Intersect returns what is in both sets.
func (s Set[V]) Intersect(t Set[V]) Set[V] {
	var out Set[V]
	for _, v := range s {
		if t.Contains(v) {
			out = append(out, v)
		}
	}
	return out
}

// Minus returns what is in s but not in t.
func (s Set[V]) Minus(t Set[V]) Set[V] {
	var out Set[V]
	for _, v := range s {
		if !t.Contains(v) {
			out = append(out, v)
		}
	}
	return out
}

// Maximal returns the views that no other view contains (definition 3: M(t)),
// each once, in the order of the argument.
func Maximal[V cmp.Ordered](views []Set[V]) []Set[V] {
	var out []Set[V]
	for i, s := range views {
		contained := slices.ContainsFunc(views[:i], s.SubsetOf)
		contained = contained || slices.ContainsFunc(views[i+1:], func(t Set[V]) bool {
			return len(t) > len(s) && s.SubsetOf(t)
		})
		if !contained {
			out = append(out, s)
		}
	}
	return out
}

// Overlap returns the intersections of m with the views that are not empty
// (definition 4: overlap(t, m)).
func Overlap[V cmp.Ordered](m Set[V], views []Set[V]) []Set[V] {
	var out []Set[V]
	for _, s := range views {
		if o := m.Intersect(s); len(o) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// Chain reports whether of any two sets one contains the other.
func Chain[V cmp.Ordered](sets []Set[V]) bool {
	for i, s := range sets {
		for _, t := range sets[:i] {
			if !s.SubsetOf(t) && !t.SubsetOf(s) {
				return false
			}
		}
	}
	return true
}

// Compatible reports whether the overlaps of the views of a thread with a
// maximal view m of another form a chain (definition 5).
func Compatible[V cmp.Ordered](m Set[V], views []Set[V]) bool { return Chain(Overlap(m, views)) }

// A Split is a pair of views of one thread whose overlaps with a maximal view of another
// are no chain: each has a variable of the maximal view that the other lacks.
type Split[V cmp.Ordered] struct {
	I, J int    // indexes of the two views, I < J
	X, Y Set[V] // variables of only the first, and only the second
}

// Splits returns the pairs of views that break the chain with m. The list is empty
// exactly if the views are Compatible with m.
func Splits[V cmp.Ordered](m Set[V], views []Set[V]) []Split[V] {
	var out []Split[V]
	overlaps := make([]Set[V], len(views))
	for j, t := range views {
		if t = m.Intersect(t); len(t) == 0 {
			continue
		}
		overlaps[j] = t
		for i, s := range overlaps[:j] {
			if len(s) == 0 {
				continue
			}
			if x, y := s.Minus(t), t.Minus(s); len(x) > 0 && len(y) > 0 {
				out = append(out, Split[V]{i, j, x, y})
			}
		}
	}
	return out
}

// A Conflict is a maximal view of one thread that the views of another are not
// compatible with.
type Conflict[V cmp.Ordered] struct {
	Thread, Other int    // indexes; Other splits what Thread uses together
	Maximal       Set[V] // the maximal view of Thread
}

// Conflicts returns the conflicts between threads, given by their views (definition 6:
// view consistency holds if the list is empty).
func Conflicts[V cmp.Ordered](threads [][]Set[V]) []Conflict[V] {
	var out []Conflict[V]
	for i, t := range threads {
		for _, m := range Maximal(t) {
			for j, u := range threads {
				if i != j && !Compatible(m, u) {
					out = append(out, Conflict[V]{i, j, m})
				}
			}
		}
	}
	return out
}
