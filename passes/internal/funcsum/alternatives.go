package funcsum

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// The accesses of a critical section depend on the path of control. In
//
//	if v.swapped { return v.second }
//	return v.first
//
// each run reads one of the two fields. The views of the papers are those of runs, and so
// of paths. The union over all paths would be a view of variables that are never accessed
// together, and would hide a pair that two calls split. Only accesses that exclude each
// other are separated; a path without either of them makes no alternative.

// Alternatives returns the maximal subsets, of the given accesses of a critical section,
// that one path of control may make. Accesses are indexes into f.Events.
func (f *Body) Alternatives(events []int) [][]int {
	if len(events) < 2 || len(events) > limit.ComparedAccesses {
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
		if out = append(out, with); len(out) > limit.Alternatives {
			return [][]int{events}
		}
	}
	if out == nil {
		return [][]int{events}
	}
	return out
}

// Exclude reports whether no path of control through f makes both accesses.
func (f *Body) Exclude(a, b *Event) bool {
	switch {
	case a.Within != nil || b.Within != nil:
		return false
	case a.Instr == b.Instr:
		return a.Callee != nil && a.Callee == b.Callee && slices.Contains(a.Callee.Accesses[a.Index].Excludes, b.Index)
	}
	return a.Instr.Block() != b.Instr.Block() && !f.Paths().Reaches(a.Instr, b.Instr) && !f.Paths().Reaches(b.Instr, a.Instr)
}

// excludes sets Access.Excludes. index has the access of each event, or -1.
func (f *Body) excludes(s *fact.FuncSummary, index []int) {
	if len(f.Fn.Blocks) < 2 || len(s.Accesses) > limit.ComparedAccesses {
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
