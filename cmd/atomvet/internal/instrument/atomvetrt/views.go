package atomvetrt

import (
	"cmp"
	"maps"
	"slices"
)

// An Observation is what was seen of critical sections and values.
type Observation struct {
	Objects                     []int // that were used in critical sections
	Locks, Sections, Goroutines int
	Views                       []ViewReport
	Values                      []*ValueReport
}

// A ViewReport is a view conflict: the views of one goroutine overlap with a maximal view of
// another one in ways that form no chain.
type ViewReport struct {
	Lock    int      // object
	Maximal []int    // the objects of the maximal view
	Parts   [2][]int // two overlaps, none of which contains the other
	Sites   [3]string
	Stacks  [3][]string // at the ends of the sections, as far as they are kept
	stacks  [3][]uintptr
	// Kind is split-read if the maximal view writes both parts, and the others read them;
	// split-write if it reads and the others write; and view-conflict for any other.
	Kind string
	// Plain is set if it is a conflict also without regard to reads and writes, as it was defined
	// first.
	Plain bool
}

// observation computes the view conflicts, stale values and lost updates of the run. Critical sections
// are compared lock by lock; conflicts of several locks of one class are reported once.
func observation() *Observation {
	o := &Observation{Locks: len(locks), Sections: sections}
	objects, threads := make(map[int]bool), make(map[uint64]bool)
	seen, plain := make(map[string]bool), make(map[string]bool)
	written := writtenObjects()
	for _, l := range locks {
		for g, list := range l.by {
			threads[g] = true
			for _, v := range list {
				for x := range v.uses {
					objects[x] = true
				}
			}
		}
		l.conflicts(anyUse, written, func(r ViewReport) { plain[r.key()] = true })
		for _, kind := range []conflictKind{splitRead, splitWrite, anyUse} {
			l.conflicts(kind, written, func(r ViewReport) {
				// A finer kind takes the place of view-conflict.
				key := r.key()
				if !seen[key] && len(o.Views) < maxReports {
					seen[key] = true
					o.Views = append(o.Views, r)
				}
			})
		}
	}
	o.Objects, o.Goroutines = slices.Sorted(maps.Keys(objects)), len(threads)
	for i := range o.Views {
		v := &o.Views[i]
		v.Plain = plain[v.key()]
		for j, pcs := range v.stacks {
			v.Stacks[j] = frames(pcs)
		}
	}
	slices.SortFunc(o.Views, func(a, b ViewReport) int { return cmp.Compare(a.key(), b.key()) })
	for _, v := range values {
		o.Values = append(o.Values, v)
	}
	slices.SortFunc(o.Values, func(a, b *ValueReport) int {
		return cmp.Or(cmp.Compare(a.Use, b.Use), cmp.Compare(a.Read, b.Read), cmp.Compare(a.Kind, b.Kind))
	})
	return o
}

// writtenObjects returns the variables that some section writes. The others are constant.
func writtenObjects() map[int]bool {
	out := make(map[int]bool)
	for _, l := range locks {
		for _, list := range l.by {
			for _, v := range list {
				for x, u := range v.uses {
					if u&writes != 0 {
						out[x] = true
					}
				}
			}
		}
	}
	return out
}

// A conflictKind says which uses count in the maximal view, and which in the others.
type conflictKind struct {
	name          string
	whole, others use
}

var (
	anyUse     = conflictKind{"view-conflict", reads | writes, reads | writes}
	splitRead  = conflictKind{"split-read", writes, reads}
	splitWrite = conflictKind{"split-write", reads, writes}
)

// conflicts finds, for each two goroutines, the maximal views of the one that the views of the
// other overlap with in no chain (Artho, Havelund and Biere).
func (l *lockViews) conflicts(kind conflictKind, written map[int]bool, report func(ViewReport)) {
	wholes, others := make(map[uint64][]fields), make(map[uint64][]fields)
	for g, list := range l.by {
		for _, v := range list {
			wholes[g] = addView(wholes[g], v, kind.whole, written)
			others[g] = addView(others[g], v, kind.others, written)
		}
	}
	threads := slices.Sorted(maps.Keys(l.by))
	for _, t := range threads {
		for _, m := range maximal(wholes[t]) {
			for _, u := range threads {
				if t == u {
					continue
				}
				if a, b, ok := unchained(m, others[u]); ok {
					report(ViewReport{
						Lock: l.class, Maximal: m.list, Parts: [2][]int{a.list, b.list}, Kind: kind.name,
						Sites:  [3]string{cfg.Sites[m.site].Pos, cfg.Sites[a.site].Pos, cfg.Sites[b.site].Pos},
						stacks: [3][]uintptr{m.stack, a.stack, b.stack},
					})
				}
			}
		}
	}
}

// key identifies a conflict, by its variables.
func (r ViewReport) key() string {
	text := itoa(r.Lock)
	for _, part := range [][]int{r.Maximal, r.Parts[0], r.Parts[1]} {
		for _, x := range part {
			text += " " + itoa(x)
		}
		text += ";"
	}
	return text
}

// fields are the variables of a view, sorted.
type fields struct {
	list  []int
	site  int
	stack []uintptr
}

// addView adds the variables that a view uses in one of the given ways, if there are any.
func addView(to []fields, v view, ways use, written map[int]bool) []fields {
	var list []int
	for x, u := range v.uses {
		if u&ways != 0 && written[x] {
			list = append(list, x)
		}
	}
	slices.Sort(list)
	if len(list) == 0 || slices.ContainsFunc(to, func(f fields) bool { return slices.Equal(f.list, list) }) {
		return to
	}
	return append(to, fields{list, v.site, v.stack})
}

// maximal returns the views with at least two variables that no other contains.
func maximal(list []fields) []fields {
	var out []fields
	for i, f := range list {
		if len(f.list) > 1 && !slices.ContainsFunc(list, func(g fields) bool { return len(g.list) > len(f.list) && subset(f.list, g.list) }) {
			out = append(out, list[i])
		}
	}
	return out
}

// unchained returns two overlaps with a maximal view none of which contains the other.
func unchained(m fields, views []fields) (a, b fields, ok bool) {
	var overlaps []fields
	for _, v := range views {
		if o := intersection(m.list, v.list); len(o) > 0 {
			overlaps = append(overlaps, fields{o, v.site, v.stack})
		}
	}
	for i, a := range overlaps {
		for _, b := range overlaps[:i] {
			if !subset(a.list, b.list) && !subset(b.list, a.list) {
				if slices.Compare(b.list, a.list) < 0 {
					a, b = b, a
				}
				return a, b, true
			}
		}
	}
	return a, b, false
}

func subset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(x int) bool { return !slices.Contains(b, x) })
}

func intersection(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(x int) bool { return !slices.Contains(b, x) })
}
