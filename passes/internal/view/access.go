package view

import "cmp"

// An Access is a view with its reads and its writes separated.
type Access[V cmp.Ordered] struct {
	Reads, Writes Set[V] // the variables read, and those written
}

// All returns the view without the separation.
func (a Access[V]) All() Set[V] { return Of(append(append([]V(nil), a.Reads...), a.Writes...)...) }

// Reads returns the read views of a thread.
func Reads[V cmp.Ordered](views []Access[V]) []Set[V] {
	return project(views, func(a Access[V]) Set[V] { return a.Reads })
}

// Writes returns the write views of a thread.
func Writes[V cmp.Ordered](views []Access[V]) []Set[V] {
	return project(views, func(a Access[V]) Set[V] { return a.Writes })
}

func project[V cmp.Ordered](views []Access[V], part func(Access[V]) Set[V]) []Set[V] {
	out := make([]Set[V], len(views))
	for i, v := range views {
		out[i] = part(v)
	}
	return out
}

// Correlated reports whether two variables that a thread reads have a common correlation:
// both influence one variable that it writes, or one decision.
type Correlated[V cmp.Ordered] func(x, y V) bool

// SplitReads returns the pairs of read views of a thread that split the variables which
// the write-maximal view m of another thread writes together, restricted to pairs of
// variables that are correlated: X and Y keep the correlated ones. A nil relation
// correlates all variables (the first paper's definition, on writes against reads).
func SplitReads[V cmp.Ordered](m Set[V], views []Set[V], correlated Correlated[V]) []Split[V] {
	all := Splits(m, views)
	if correlated == nil {
		return all
	}
	var out []Split[V]
	for _, s := range all {
		var x, y []V
		for _, v := range s.X {
			for _, w := range s.Y {
				if correlated(v, w) {
					x, y = append(x, v), append(y, w)
				}
			}
		}
		if len(x) > 0 {
			s.X, s.Y = Of(x...), Of(y...)
			out = append(out, s)
		}
	}
	return out
}

// SplitWrites returns the pairs of write views of a thread that split the variables which
// the read-maximal view m of another thread reads together.
func SplitWrites[V cmp.Ordered](m Set[V], views []Set[V]) []Split[V] { return Splits(m, views) }

// An AccessConflict is a Conflict between reads and writes.
type AccessConflict[V cmp.Ordered] struct {
	Conflict[V]
	// SplitRead says that Maximal is written together and read apart. Otherwise it is read
	// together and written apart.
	SplitRead bool
}

// AccessConflicts returns the conflicts between threads whose reads and writes are
// separated. correlated returns the relation of each thread.
func AccessConflicts[V cmp.Ordered](threads [][]Access[V], correlated func(thread int) Correlated[V]) []AccessConflict[V] {
	var out []AccessConflict[V]
	for i, t := range threads {
		for _, m := range Maximal(Writes(t)) {
			for j, u := range threads {
				if i != j && len(SplitReads(m, Reads(u), correlated(j))) > 0 {
					out = append(out, AccessConflict[V]{Conflict[V]{i, j, m}, true})
				}
			}
		}
		for _, m := range Maximal(Reads(t)) {
			for j, u := range threads {
				if i != j && len(SplitWrites(m, Writes(u))) > 0 {
					out = append(out, AccessConflict[V]{Conflict[V]{i, j, m}, false})
				}
			}
		}
	}
	return out
}
