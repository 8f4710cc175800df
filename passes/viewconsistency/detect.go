package viewconsistency

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/view"
	"github.com/atomvet/atomvet/passes/summary"
)

// The categories.
const (
	splitRead  = "split-read"
	splitWrite = "split-write"
	splitAny   = "" // either, by what the second access is
)

// A detector looks for views that one function takes apart.
type detector struct {
	pass *analysis.Pass
	pkg  *summary.Package
	f    *summary.Func
	// shapes are those of the views of the package, for all its functions.
	shapes map[*summary.View]*shape
}

// A section is a passage of the function with the accesses that it is the
// outermost guarded passage of.
type section struct {
	summary.Passage
	own []int
}

// A split is a pair of accesses in two sections of the function to variables
// that a view of some other code has together.
type split struct {
	category      string
	view          *summary.View
	first, second *summary.Event
	a, b          *section // of first and second
	join          summary.Join
}

// detect reports the splits in the function.
func (d *detector) detect() []finding.Finding {
	sections := d.sections()
	if len(sections) < 2 {
		return nil
	}
	views := d.pkg.Views
	if !readWrite {
		views = d.pkg.AccessViews
	}
	var found []split
	taken := make(map[string][]accesspath.Location)
	for _, m := range views(d.locations(sections, splitAny)) {
		for _, category := range against(m) {
			if category == splitWrite && correlation && d.pkg.Alone(d.f) {
				continue // main and tests set up, one step after the other
			}
			locs, ok := taken[category]
			if !ok {
				locs = d.locations(sections, category)
				taken[category] = locs
			}
			if m.Shares(locs) && d.pkg.ConcurrentView(d.f, m) {
				found = append(found, d.splits(m, category, sections)...)
			}
		}
	}
	return d.report(found)
}

// sections returns the passages of the function that are not inside another
// passage which guards the same, one for each way through it that makes a
// difference to what is accessed.
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
		ways := d.pkg.Alternatives(d.f, s.own)
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

// against tells what the function must not take apart of a view: the reads of
// what is written together, and the writes of what is read together. What is
// written together must not be written apart either: of two such writers each
// may leave its part of the other's (Vaziri, Tip, Dolby, scenarios 6 and 7).
func against(m *summary.View) []string {
	together := summary.JoinedView
	if !correlation {
		together = summary.ReadView
	}
	switch {
	case !readWrite && m.Kind == summary.AccessView:
		return []string{splitAny}
	case !readWrite:
		return nil
	case m.Kind == summary.WriteView && correlation && !m.Nested:
		return []string{splitRead, splitWrite}
	case m.Kind == summary.WriteView && !m.Nested || correlation && (m.Kind == summary.WriteView || m.Kind == summary.PairView):
		return []string{splitRead}
	case m.Kind == together:
		return []string{splitWrite}
	}
	return nil
}

// takes reports whether an access counts as part of a split of the category.
func takes(category string, e *summary.Event) bool {
	switch category {
	case splitRead:
		return e.Reads() && !e.Writes() && len(e.Values) > 0
	case splitWrite:
		return e.Writes()
	}
	return true
}

// splits returns the splits of the sections with respect to view m.
func (d *detector) splits(m *summary.View, category string, sections []*section) []split {
	var out []split
	for _, in := range d.instances(m, category, sections) {
		for _, s := range view.Splits(in.view, in.sections) {
			if found, ok := d.order(s, in, m, category, sections); ok {
				out = append(out, found)
			}
		}
	}
	return out
}

// order finds in a split the pair of accesses that come one after the other in
// the function and matter.
func (d *detector) order(s view.Split[string], in *instance, m *summary.View, category string, sections []*section) (split, bool) {
	for _, x := range s.X {
		for _, y := range s.Y {
			if correlation && readWrite && !d.kept(m, in.loc(x), in.loc(y)) {
				continue
			}
			for _, i := range in.events[s.I][x] {
				for _, j := range in.events[s.J][y] {
					p := split{
						category: category, view: m,
						first: d.f.Events[i], second: d.f.Events[j],
						a: sections[s.I], b: sections[s.J],
					}
					if d.matters(&p) {
						return p, true
					}
					p.first, p.second, p.a, p.b = p.second, p.first, p.b, p.a
					if d.matters(&p) {
						return p, true
					}
				}
			}
		}
	}
	return split{}, false
}

// matters reports whether the first access of a split is followed by the second,
// others can come in between, and the two belong together.
func (d *detector) matters(s *split) bool {
	if s.first.Ord == s.second.Ord || s.second.Once() || d.excluded(s) {
		return false
	}
	if !readWrite {
		s.category = splitRead
		if s.second.Writes() {
			s.category = splitWrite
		}
		return true
	}
	if !d.apart(s) {
		return false
	}
	if !correlation {
		return true
	}
	if d.whole(s) {
		return false
	}
	if s.category == splitWrite {
		return d.oneUpdate(s)
	}
	return !d.reread(s) && !d.subscribes(s) && !d.published(s) && !d.known(s) && d.correlated(s) && !d.counts(s) && !d.versionChecked(s)
}

// apart reports whether control can come from the first access to the second
// through the end of the section of the first, without going round a loop: the
// next round is another operation.
func (d *detector) apart(s *split) bool {
	way := summary.Way{From: s.first.Instr, To: s.second.Instr, Forward: true}
	if !s.a.Inner {
		way.Guard = s.a.Path
	}
	return d.f.Order().Exists(way)
}

// correlated reports whether the two reads of a split read have a common
// correlation.
func (d *detector) correlated(s *split) (ok bool) {
	s.join, ok = d.pkg.Joined(d.f, s.first, s.second)
	return ok
}

// excluded reports whether a lock is held from the one access to the other that
// the region of the view needs, or all who write one of the two: then that one
// is the same at both ends.
func (d *detector) excluded(s *split) bool {
	return slices.ContainsFunc(d.f.Order().Held(s.first, s.second), func(g lockset.Guard) bool {
		if slices.Contains(s.view.Locks, g.Class) && (concerns(g, s.first) || concerns(g, s.second)) {
			return true
		}
		return s.category == splitRead && (d.guards(g, s.first) || d.guards(g, s.second))
	})
}

// guards reports whether all who write what e accesses need g.
func (d *detector) guards(g lockset.Guard, e *summary.Event) bool {
	return slices.Contains(d.pkg.Location(e.Loc).Guards, g.Class) && concerns(g, e)
}

func concerns(g lockset.Guard, e *summary.Event) bool { return summary.Concerns(g, e.Loc, e.Base) }
