package viewconsistency

import (
	"iter"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// The views of a package times the accesses of its functions grow with the square of the
// code, and most of the products are of locations that nothing keeps consistent. Two views
// break a chain with a maximal view exactly if each of them has a variable of it that the
// other lacks (package view). So it is the pairs of variables of the function's own
// sections that are looked for first, without any view, and the rules that need no view
// are asked about them. Views are looked up for the pairs that are left.

// candidates are the two orders of the accesses.
func (p pair) candidates(d *detector, r relation, m *summary.View) []*candidate {
	return []*candidate{{d, r, m, p.one, p.two, p.a, p.b}, {d, r, m, p.two, p.one, p.b, p.a}}
}

// A variable is an object's field, or an element, in the terms of the function.
type variable struct {
	loc  accesspath.Location
	base accesspath.Path
}

// An access is an event of the function in one of its sections.
type access struct {
	section int
	event   *summary.Event
}

// A partition has the accesses of a function by location, those that count as a part of a split
// of one category, and the variables of each section.
type partition struct {
	sections []*section
	locs     []accesspath.Location // sorted
	accesses map[accesspath.Location][]access
	vars     []map[variable]bool
}

func (d *detector) partition(category string, sections []*section) *partition {
	p := &partition{sections: sections, accesses: make(map[accesspath.Location][]access), vars: make([]map[variable]bool, len(sections))}
	for n, s := range sections {
		p.vars[n] = make(map[variable]bool)
		for _, i := range s.own {
			e := d.f.Events[i]
			if !takes(category, e) || e.Base == accesspath.Unknown {
				continue
			}
			if p.accesses[e.Loc] == nil {
				p.locs = append(p.locs, e.Loc)
			}
			p.accesses[e.Loc] = append(p.accesses[e.Loc], access{n, e})
			p.vars[n][variable{e.Loc, e.Base}] = true
		}
	}
	slices.Sort(p.locs)
	return p
}

// splits reports whether the sections of two accesses each lack the other's variable.
func (p *partition) splits(x, y access) bool {
	return !p.vars[y.section][variable{x.event.Loc, x.event.Base}] && !p.vars[x.section][variable{y.event.Loc, y.event.Base}]
}

// sameVariable reports whether two accesses of one location, in different sections, are of the same
// object and under the same key.
func sameVariable(one, two access) bool {
	return one.section != two.section && one.event.Base == two.event.Base && one.event.Key == two.event.Key
}

// pairs returns the pairs of accesses that the rules leave which need no view, those of
// the earlier section first.
func (d *detector) pairs(r relation, p *partition) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		c := new(candidate) // for those that are rejected: most are
		related := d.related(r, p, c)
		for i, x := range p.locs {
			for j, y := range p.locs {
				if !related(i, j) {
					continue
				}
				for _, one := range p.accesses[x] {
					for _, two := range p.accesses[y] {
						if one.section >= two.section || !p.splits(one, two) {
							continue
						}
						if of := p.pair(one, two); d.mayBeSplit(c, d.rules.ofAccesses, r, of) && !yield(of) {
							return
						}
					}
				}
			}
		}
	}
}

// related returns a function that reports whether the rules about locations alone leave a pair
// of them, by their numbers in the partition. These rules are asked about both orders at once,
// so once is enough for two locations. They are asked about c.
func (d *detector) related(r relation, p *partition, c *candidate) func(i, j int) bool {
	const (
		unasked = iota
		yes
		no
	)
	answers := make([]uint8, len(p.locs)*(len(p.locs)-1)/2)
	return func(i, j int) bool {
		if i == j {
			return false
		}
		i, j = min(i, j), max(i, j)
		answer := &answers[j*(j-1)/2+i]
		if *answer == unasked {
			*answer = no
			if d.mayBeSplit(c, d.rules.ofLocations, r, p.pair(p.accesses[p.locs[i]][0], p.accesses[p.locs[j]][0])) {
				*answer = yes
			}
		}
		return *answer == yes
	}
}

func (p *partition) pair(one, two access) pair {
	return pair{one.event, two.event, p.sections[one.section], p.sections[two.section]}
}

// mayBeSplit reports whether rules that need no view leave one of the two candidates of a
// pair, which it puts into c. An explanation is of candidates with a view, and leaves all.
func (d *detector) mayBeSplit(c *candidate, rules rule.Set[*candidate], r relation, p pair) bool {
	if d.judge.Explains() {
		return true
	}
	*c = candidate{d, r, nil, p.one, p.two, p.a, p.b}
	if rules.Rejecting(d.judge, c) == nil {
		return true
	}
	*c = candidate{d, r, nil, p.two, p.one, p.b, p.a}
	return rules.Rejecting(d.judge, c) == nil
}
