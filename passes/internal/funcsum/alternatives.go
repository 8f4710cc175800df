package funcsum

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// What a passage accesses on one path it need not access on another: of
//
//	if v.swapped { return v.second }
//	return v.first
//
// each passage reads one of the two. The papers' views are those of runs, and so
// of paths; the union of all of them would make a view of what never comes
// together, and hide that two calls take a pair apart. Here only accesses that
// exclude each other are told apart. That there may be none of either is left
// out: a check before the rest is no view of its own.

// maxAlternatives bounds the alternatives of a passage, and maxCompared the events
// that are compared for them. A passage with more is taken as a whole.
const (
	maxAlternatives = 4
	maxCompared     = 16
)

// Alternatives returns, of the given events of a passage, those that may come on
// one path, for each way that makes a difference.
func (f *Body) Alternatives(events []int) [][]int {
	if len(events) < 2 || len(events) > maxCompared {
		return [][]int{events}
	}
	var out [][]int
	for _, i := range events {
		with := make([]int, 0, len(events))
		for _, j := range events {
			if i == j || !f.Exclude(f.Events[i], f.Events[j]) {
				with = append(with, j)
			}
		}
		if len(with) == len(events) || slices.ContainsFunc(out, func(o []int) bool { return slices.Equal(o, with) }) {
			continue
		}
		if out = append(out, with); len(out) > maxAlternatives {
			return [][]int{events}
		}
	}
	if out == nil {
		return [][]int{events}
	}
	return out
}

// Exclude reports whether no path through a function comes by both events.
func (f *Body) Exclude(a, b *Event) bool {
	switch {
	case a.Within != nil || b.Within != nil:
		return false
	case a.Instr == b.Instr:
		return a.Callee != nil && a.Callee == b.Callee && slices.Contains(a.Callee.Accesses[a.Index].Excludes, b.Index)
	}
	return a.Instr.Block() != b.Instr.Block() && !f.Paths().Reaches(a.Instr, b.Instr) && !f.Paths().Reaches(b.Instr, a.Instr)
}

// excludes fills in which accesses of a summary exclude each other: no event of the
// one comes on a path with one of the other. index has the access of each event.
func (f *Body) excludes(s *fact.FuncSummary, index []int) {
	if len(f.Fn.Blocks) < 2 || len(s.Accesses) > maxCompared {
		return
	}
	events := make([][]*Event, len(s.Accesses))
	for i, e := range f.Events {
		if index[i] >= 0 {
			events[index[i]] = append(events[index[i]], e)
		}
	}
	for i := range s.Accesses {
		for j := range i {
			a, b := &s.Accesses[i], &s.Accesses[j]
			if a.Regions&b.Regions == 0 || a.Loc == b.Loc || a.Base == accesspath.Unknown || b.Base == accesspath.Unknown {
				continue
			}
			if f.allExclude(events[i], events[j]) {
				a.Excludes, b.Excludes = append(a.Excludes, j), append(b.Excludes, i)
			}
		}
	}
}

func (f *Body) allExclude(as, bs []*Event) bool {
	for _, a := range as {
		for _, b := range bs {
			if !f.Exclude(a, b) {
				return false
			}
		}
	}
	return true
}
