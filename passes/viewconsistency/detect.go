package viewconsistency

import (
	"cmp"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// detect reports the views that the function takes apart.
func (d *detector) detect() []finding.Finding {
	sections := d.sections()
	if len(sections) < 2 {
		return nil
	}
	var found []*candidate
	partitions := make(map[string]*partition)
	for _, r := range relations() {
		accesses := partitions[r.category()]
		if accesses == nil {
			accesses = d.partition(r.category(), sections)
			partitions[r.category()] = accesses
		}
		switch r {
		case readsOfReplaced:
			for _, p := range d.partsApart(accesses) {
				found = append(found, d.splits(r, p, d.replacements(p.one.Loc))...)
			}
			continue
		case readsOfOne:
			for _, p := range d.readTwice(accesses) {
				found = append(found, d.splits(r, p, d.changes(p.one.Loc))...)
			}
			continue
		case readsOfMoved:
			for _, p := range d.elementsApart(accesses) {
				found = append(found, d.splits(r, p, d.movesOf(p))...)
			}
			continue
		}
		for p := range d.pairs(r, accesses) {
			found = append(found, d.splits(r, p, d.views(p))...)
		}
	}
	return d.report(found)
}

// sections returns the critical sections of the function that are not inside another
// one which guards the same, one for each way through it that makes a difference to
// what is accessed.
func (d *detector) sections() []*section {
	var out []*section
	seen := make(map[int]bool)
	for _, p := range d.pkg.Guards().Passages(d.f) {
		s := &section{Passage: p}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b *section) int { return cmp.Compare(b2i(a.Inner), b2i(b.Inner)) })
	for _, s := range out {
		for _, i := range s.Events {
			if !seen[i] {
				seen[i] = true
				s.own = append(s.own, i)
			}
		}
	}
	out = slices.DeleteFunc(out, func(s *section) bool { return len(s.own) == 0 })
	out = d.alternatives(out)
	slices.SortStableFunc(out, func(a, b *section) int { return cmp.Compare(a.own[0], b.own[0]) })
	return out
}

// alternatives splits the sections by their ways.
func (d *detector) alternatives(sections []*section) []*section {
	var out []*section
	for _, s := range sections {
		ways := d.f.Alternatives(s.own)
		if len(ways) == 1 {
			out = append(out, s)
			continue
		}
		for _, own := range ways {
			way := &section{Passage: s.Passage, own: own}
			// What is on another way only is not in this section.
			way.Events = slices.DeleteFunc(slices.Clone(s.Events), func(i int) bool {
				return slices.Contains(s.own, i) && !slices.Contains(own, i)
			})
			out = append(out, way)
		}
	}
	return out
}

// splits returns the candidates of a pair that the rules accept, at most one for each of the
// views that has both variables.
func (d *detector) splits(r relation, p pair, views []*summary.View) []*candidate {
	var out []*candidate
	for _, m := range views {
		if !r.concerns(m) || !d.has(m, p) {
			continue
		}
		for _, c := range p.candidates(d, r, m) {
			if d.rules.Reporting(d.judge, c) != nil && rule.Accept(d.judge, d.rules.Set, c) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// views returns the views with the locations of both accesses.
func (d *detector) views(p pair) []*summary.View {
	locs := [2]accesspath.Location{p.one.Loc, p.two.Loc}
	slices.Sort(locs[:])
	views, known := d.viewsOf[locs]
	if !known {
		if readWrite {
			views = d.pkg.Views().With(locs[:])
		} else {
			views = d.pkg.Views().AccessesWith(locs[:])
		}
		d.viewsOf[locs] = views
	}
	return views
}
