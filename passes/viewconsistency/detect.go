package viewconsistency

import (
	"cmp"
	"iter"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/view"
	"github.com/atomvet/atomvet/passes/summary"
)

// detect reports the views that the function takes apart.
func (d *detector) detect() []finding.Finding {
	sections := d.sections()
	if len(sections) < 2 {
		return nil
	}
	views := d.pkg.Views
	if !readWrite {
		views = d.pkg.AccessViews
	}
	var found []*candidate
	taken := make(map[string][]accesspath.Location)
	for _, m := range views(d.locations(sections, splitAny)) {
		for _, r := range relations(m) {
			locs, ok := taken[r.category()]
			if !ok {
				locs = d.locations(sections, r.category())
				taken[r.category()] = locs
			}
			if m.Shares(locs) {
				found = append(found, d.splits(m, r, sections)...)
			}
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
	for _, p := range d.pkg.Passages(d.f) {
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

// locations returns, sorted, what the sections access in a way that counts for
// the category.
func (d *detector) locations(sections []*section, category string) []accesspath.Location {
	var out []accesspath.Location
	for _, s := range sections {
		for _, i := range s.own {
			if e := d.f.Events[i]; takes(category, e) {
				out = append(out, e.Loc)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// splits returns, of each split of the sections with respect to view m, the first
// candidate that the rules accept.
func (d *detector) splits(m *summary.View, r relation, sections []*section) []*candidate {
	var out []*candidate
	for _, in := range d.localViews(m, r.category(), sections) {
		for _, s := range view.Splits(in.view, in.sections) {
			for c := range d.candidates(s, in, m, r, sections) {
				if d.rules.Reporting(d.judge, c) != nil && rule.Accept(d.judge, d.rules, c) {
					out = append(out, c)
					break
				}
			}
		}
	}
	return out
}

// candidates are the pairs of accesses of a split, either one first.
func (d *detector) candidates(s view.Split[string], in *localView, m *summary.View, r relation, sections []*section) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		for _, x := range s.X {
			for _, y := range s.Y {
				for _, i := range in.accesses[s.I][x] {
					for _, j := range in.accesses[s.J][y] {
						one, two := d.f.Events[i], d.f.Events[j]
						a, b := sections[s.I], sections[s.J]
						if !yield(&candidate{d, r, m, one, two, a, b}) || !yield(&candidate{d, r, m, two, one, b, a}) {
							return
						}
					}
				}
			}
		}
	}
}
