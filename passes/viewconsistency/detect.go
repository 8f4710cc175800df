package viewconsistency

import (
	"cmp"
	"iter"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/view"
	"github.com/atomvet/atomvet/passes/summary"
)

// A detector looks for views that one function takes apart.
type detector struct {
	pass  *analysis.Pass
	pkg   *summary.Package
	f     *summary.Func
	rules rule.Set[*candidate]
	// pairwise are those that depend on the relation and the two locations only.
	pairwise rule.Set[*candidate]
	judge    *rule.Judge
	// shapes are those of the views of the package, for all its functions.
	shapes map[*summary.View]*shape
	// joins are the answers of candidate.join.
	joins map[[2]*summary.Event]summary.Join
}

// A section is a critical section of the function with the accesses that it is
// the outermost guarded one of.
type section struct {
	summary.Passage
	own []int
}

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
	taken := make(map[relation]*taken)
	for _, m := range views(d.locations(sections)) {
		for _, r := range relations(m) {
			t := taken[r]
			if t == nil {
				t = d.takenApart(r, m, sections)
				taken[r] = t
			}
			found = append(found, d.splits(m, r, t)...)
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

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// locations returns, sorted, what the sections access.
func (d *detector) locations(sections []*section) []accesspath.Location {
	var out []accesspath.Location
	for _, s := range sections {
		for _, i := range s.own {
			out = append(out, d.f.Events[i].Loc)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// takes reports whether an access counts as part of a split of the category: a read
// whose value the function has, a write, or any.
func takes(category string, e *summary.Event) bool {
	switch category {
	case splitRead:
		return e.Reads() && !e.Writes() && len(e.Values) > 0
	case splitWrite:
		return e.Writes()
	}
	return true
}

// splits returns, of each split of the sections with respect to view m, the first
// candidate that the rules accept.
func (d *detector) splits(m *summary.View, r relation, t *taken) []*candidate {
	var out []*candidate
	for _, in := range d.localViews(m, t) {
		for _, s := range view.Splits(in.view, in.overlaps) {
			for c := range d.candidates(s, in, m, r, t) {
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
func (d *detector) candidates(s view.Split[string], in *localView, m *summary.View, r relation, t *taken) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		a, b := in.parts[s.I], in.parts[s.J]
		for _, x := range s.X {
			for _, y := range s.Y {
				for _, i := range a.accesses[x] {
					for _, j := range b.accesses[y] {
						one, two := d.f.Events[i], d.f.Events[j]
						if !t.together(one.Loc, two.Loc) {
							continue
						}
						if !yield(&candidate{d, r, m, one, two, a.section, b.section}) || !yield(&candidate{d, r, m, two, one, b.section, a.section}) {
							return
						}
					}
				}
			}
		}
	}
}
