package reacquire

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// The categories.
const (
	reacquired   = "reacquire" // the second passage relies on the first
	encapsulated = "stylistic" // it does, but nobody can come in between
	bare         = "pattern"   // nothing is known to depend on it
	different    = "variant"   // two witnesses
)

// A detector looks for the pattern in one function.
type detector struct {
	pass    *analysis.Pass
	pkg     *summary.Package
	f       *summary.Func
	takings []summary.Taking
}

// A use says why the second of two passages relies on the first: what the first
// reads, what the second does with it, and who may change it in between.
type use struct {
	read, second *summary.Event
	writer       *summary.Writer
	// update says that the two are combined in one update of what the context protects.
	update bool
}

// detect reports each second taking once, for the pair that says most.
func (d *detector) detect() []finding.Finding {
	d.takings = d.f.Takings()
	if !d.possible() {
		return nil
	}
	pairs := d.pairs()
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.second, b.second), cmp.Compare(b.first, a.first))
	})
	type ranked struct {
		pair
		use
		category string
	}
	best := make(map[ssa.Instruction]ranked)
	var order []ssa.Instruction
	rank := []string{reacquired, encapsulated, bare, different}
	for _, r := range pairs {
		category, u := d.classify(r)
		at := d.takings[r.second].Instr
		old, known := best[at]
		if !known {
			order = append(order, at)
		}
		if !known || slices.Index(rank, category) < slices.Index(rank, old.category) {
			best[at] = ranked{r, u, category}
		}
	}
	var out []finding.Finding
	for _, at := range order {
		if r := best[at]; wanted(r.category) {
			out = append(out, d.finding(r.pair, r.category, r.use))
		}
	}
	return out
}

// possible reports whether there can be a pair at all: there is a second lock for
// a context, and a lock that is taken in two places, or in a loop.
func (d *detector) possible() bool {
	paths := make(map[accesspath.Path]int)
	for _, t := range d.takings {
		paths[t.Path]++
	}
	if len(paths) == 1 && len(d.f.Contexts()) == 0 && len(d.f.Flow.Given()) == 0 {
		return false
	}
	if variant || len(paths) < len(d.takings) {
		return true
	}
	return slices.ContainsFunc(d.takings, func(t summary.Taking) bool { return summary.Reaches(t.Instr, t.Instr) })
}

// wanted reports whether the flags ask for a category.
func wanted(category string) bool {
	switch category {
	case encapsulated:
		return stylistic || pattern
	case bare:
		return pattern
	case different:
		return variant
	}
	return true
}

// classify tells whether a pair matters.
func (d *detector) classify(r pair) (string, use) {
	if d.takings[r.first].Path != d.takings[r.second].Path {
		return different, use{}
	}
	category := bare
	first, second := d.events(r.first), d.events(r.second)
	for _, i := range first {
		read := d.f.Events[i]
		if !read.Reads() || read.Writes() || read.Callee != nil && read.Owned() {
			continue
		}
		info := d.pkg.Location(read.Loc)
		if isFlag(info) && slices.ContainsFunc(second, func(j int) bool { return d.f.Events[j].Loc == read.Loc }) {
			continue // asked again: it may only have come to its end
		}
		if info.Constant() || !slices.Contains(info.Guards, d.takings[r.first].Class) || d.changes(first, read) {
			continue
		}
		for _, j := range second {
			e := d.f.Events[j]
			if !d.about(info, read, e) || !d.relies(r, i, j, second) {
				continue
			}
			if r.context.some || d.pkg.Alone(d.f) {
				// For other callers there is no context; main and tests
				// hold a lock to look at something.
				return bare, use{}
			}
			if w := d.interferer(info, r, read, e); w != nil {
				return reacquired, use{read, e, w, d.oneUpdate(r.context, i, j, false)}
			}
			category = encapsulated
		}
	}
	return category, use{}
}

// changes reports whether the passage changes what it reads. Then it is a step of
// its own, and what comes out of it tells what that step has done.
func (d *detector) changes(passage []int, read *summary.Event) bool {
	return slices.ContainsFunc(passage, func(i int) bool {
		e := d.f.Events[i]
		return e.Writes() && e.Loc == read.Loc && accesspath.Same(e.Base, read.Base)
	})
}

// events returns the accesses of a taking.
func (d *detector) events(i int) []int {
	t := d.takings[i]
	var out []int
	for j, e := range d.f.Events {
		for _, h := range e.Holds {
			if h.Path == t.Path && (t.Inner && e.Ord == t.Ord || !t.Inner && !h.Inner && slices.Contains(h.Sites, t.Ord)) {
				out = append(out, j)
				break
			}
		}
	}
	return out
}

// about reports whether the second access is to what the first read, or to
// something that is kept consistent with it. Of two elements that are not known
// to be the same each is something of its own.
func (d *detector) about(info *summary.LocInfo, read, e *summary.Event) bool {
	if read.Loc != e.Loc && (!info.IsJoint(e.Loc) || d.pkg.Location(e.Loc).Constant()) || !accesspath.Same(read.Base, e.Base) {
		return false
	}
	if read.Key == "" || e.Key == "" || read == e {
		return true
	}
	if e.Writes() {
		return accesspath.KeysOverlap(read.Key, e.Key)
	}
	return accesspath.SameElement(read.Key, e.Key)
}

// interferer returns a writer that can run between the two passages, or nil: it
// is concurrent with the function and needs no lock that is held throughout.
func (d *detector) interferer(info *summary.LocInfo, r pair, read, e *summary.Event) *summary.Writer {
	// A lock of the witness's class that a writer holds may be the witness.
	witness := d.takings[r.first].Class
	through := slices.DeleteFunc(append(d.f.Order().HeldThrough(read, e), r.context.Class), func(l accesspath.Location) bool { return l == witness })
	writers := d.pkg.Writers(read, info)
	for i := range writers {
		w := &writers[i]
		if !w.Needs(through) && d.pkg.Concurrent(d.f, w) {
			return w
		}
	}
	return nil
}

// entry reports whether a context is a lock of the caller.
func (c context) entry() bool { return c.site == lockset.Entry }
