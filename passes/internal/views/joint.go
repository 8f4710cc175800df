package views

import (
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// A correlation counts the critical sections that write each location, and those that
// write both of two locations.
type correlation struct {
	regions map[accesspath.Location]int
	pairs   map[[2]accesspath.Location]int
}

// minShare is the least share of critical sections, one in minShare of those that write
// either of two locations, that must write both for the two to belong together. A struct
// with many fields often has one critical section, in its Close method, that writes all
// of them; that alone does not relate every two fields. Access correlation as a measure
// for what belongs together is from Lu et al., MUVI (SOSP 2007).
const minShare = 4

// joint finds the locations that are written together, and fills in Joint. A view holds
// only the locations that its own guard protects (Artho, Havelund, Biere, High-level data
// races, section 6, leave nested locks open): a location under an inner lock of its own
// is not in the view of the outer guard.
func (p *Views) joint() {
	for pair, n := range p.correlation.pairs {
		if n*minShare >= p.correlation.regions[pair[0]] && n*minShare >= p.correlation.regions[pair[1]] {
			info := p.info(pair[0])
			info.Joint = append(info.Joint, pair[1])
		}
	}
}

// correlate counts the critical sections of the package.
func (p *Views) correlate() *correlation {
	c := &correlation{make(map[accesspath.Location]int), make(map[[2]accesspath.Location]int)}
	for _, v := range p.All {
		if v.Kind == fact.WriteView && !v.Nested {
			c.add(v.Locations(p.Pkg.Path()))
		}
	}
	return c
}

// Loose reports whether most critical sections of this package that write either of two
// locations do not write the other.
func (p *Views) Loose(x, y accesspath.Location) bool {
	either := max(p.correlation.regions[x], p.correlation.regions[y])
	return either > 0 && 2*p.correlation.pairs[[2]accesspath.Location{x, y}] < either
}

// Tells reports whether all critical sections of this package that write x also write y.
func (p *Views) Tells(x, y accesspath.Location) bool {
	n := p.correlation.regions[x]
	return n > 0 && p.correlation.pairs[[2]accesspath.Location{x, y}] == n
}

// add counts the locations of one view.
func (c *correlation) add(view []accesspath.Location) {
	for _, x := range view {
		c.regions[x]++
		for _, y := range view {
			if x != y {
				c.pairs[[2]accesspath.Location{x, y}]++
			}
		}
	}
}

// together finds, for each location, the locations that at least half of the functions
// which write it directly also write, directly or in a callee, under any guard.
func (p *Views) together() {
	writers := make(map[accesspath.Location]int)
	pairs := make(map[[2]accesspath.Location][]string)
	for f := range p.Sharing() {
		var own, all []accesspath.Location
		for _, e := range f.Events {
			if !e.Writes() || e.Delta() || e.Once() {
				continue
			}
			if e.Callee == nil && e.Within == nil && !slices.Contains(own, e.Loc) {
				own = append(own, e.Loc)
			}
			if !slices.Contains(all, e.Loc) {
				all = append(all, e.Loc)
			}
		}
		if len(all) > limit.WrittenTogether {
			continue
		}
		for _, x := range own {
			writers[x]++
			for _, y := range all {
				if x != y && x.Pkg() == p.Pkg.Path() {
					k := [2]accesspath.Location{x, y}
					pairs[k] = append(pairs[k], f.Sum.Name)
				}
			}
		}
	}
	for k, names := range pairs {
		if len(names)*2 < writers[k[0]] {
			continue
		}
		info := p.info(k[0])
		for _, name := range names {
			info.Together = append(info.Together, fact.TogetherWrite{Loc: k[1], Func: name})
		}
	}
}

// sortLists puts the lists in a fixed order.
func sortLists(i *fact.LocInfo) {
	slices.Sort(i.Joint)
	slices.SortFunc(i.Together, func(a, b fact.TogetherWrite) int {
		return strings.Compare(string(a.Loc)+" "+a.Func, string(b.Loc)+" "+b.Func)
	})
	i.Together = slices.Compact(i.Together)
}
