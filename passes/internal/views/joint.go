package views

import (
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// A correlation counts, for two locations, the regions that write them.
type correlation struct {
	regions map[accesspath.Location]int
	pairs   map[[2]accesspath.Location]int
}

// minShare is the least share, as one in so many, of the regions that write
// either of two locations that must write both for them to belong together. In
// a struct with many fields some region, the one that closes it, writes them
// all; that does not tie every two of them together. Access correlation as a
// measure for what belongs together is from Lu et al., MUVI (SOSP 2007).
const minShare = 4

// joint finds the locations that are written together, and fills in Joint. A
// view holds only what its guard guards (Artho, Havelund, Biere, High-level
// data races, section 6, leave nested locks open): what has a lock of its own
// inside the region is none of the outer guard's business.
func (p *Views) joint() {
	for pair, n := range p.correlation.pairs {
		if n*minShare >= p.correlation.regions[pair[0]] && n*minShare >= p.correlation.regions[pair[1]] {
			info := p.info(pair[0])
			info.Joint = append(info.Joint, pair[1])
		}
	}
}

// correlate counts the regions of the package.
func (p *Views) correlate() *correlation {
	c := &correlation{make(map[accesspath.Location]int), make(map[[2]accesspath.Location]int)}
	for _, v := range p.All {
		if v.Kind == fact.WriteView && !v.Nested {
			c.add(v.Locations(p.Pkg.Path()))
		}
	}
	return c
}

// Loose reports whether of the regions of this package that write either of two
// locations most leave the other as it is.
func (p *Views) Loose(x, y accesspath.Location) bool {
	either := max(p.correlation.regions[x], p.correlation.regions[y])
	return either > 0 && 2*p.correlation.pairs[[2]accesspath.Location{x, y}] < either
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

// together finds, for each location, those that the functions which write it
// themselves write too, directly or by a call, under whatever guards: half of
// these functions at least must do so.
func (p *Views) together() {
	const maxTogether = 16
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
		if len(all) > maxTogether {
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

// sort puts the lists in a fixed order.
func sortLists(i *fact.LocInfo) {
	slices.Sort(i.Joint)
	slices.SortFunc(i.Together, func(a, b fact.TogetherWrite) int {
		return strings.Compare(string(a.Loc)+" "+a.Func, string(b.Loc)+" "+b.Func)
	})
	i.Together = slices.Compact(i.Together)
}
