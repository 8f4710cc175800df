package interleave

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/limit"
)

// solvable reports whether there are numbers that all decisions of the world agree with, for which
// in each of the groups some form is not 0. The search is among small numbers and the bounds of
// the intervals.
func (w *world) solvable(groups [][]number) bool {
	var syms []string
	add := func(n number) {
		for _, t := range n.terms {
			if !slices.Contains(syms, t.sym) {
				syms = append(syms, t.sym)
			}
		}
	}
	var limits []*interval
	for _, in := range w.ranges {
		if in.lo > -infinite || in.hi < infinite || len(in.not) > 0 {
			limits = append(limits, in)
			add(in.form)
		}
	}
	for _, g := range groups {
		for _, n := range g {
			add(n)
		}
	}
	slices.Sort(syms)
	s := &solver{w: w, syms: syms, limits: limits, groups: groups, vals: make(map[string]int64)}
	return s.try(0)
}

type solver struct {
	w      *world
	syms   []string
	limits []*interval
	groups [][]number
	vals   map[string]int64
	trials int
}

func (s *solver) try(i int) bool {
	if s.trials++; s.trials > limit.RunTrials || !s.holds() {
		return false
	}
	if i == len(s.syms) {
		return !slices.ContainsFunc(s.groups, func(g []number) bool {
			return !slices.ContainsFunc(g, func(n number) bool { v, _ := s.eval(n); return v != 0 })
		})
	}
	for _, v := range s.candidates(s.syms[i]) {
		s.vals[s.syms[i]] = v
		if s.try(i + 1) {
			return true
		}
	}
	delete(s.vals, s.syms[i])
	return false
}

func (s *solver) candidates(sym string) []int64 {
	out := []int64{1, 0, 2, 3, 5, 7, -1, -2}
	if in := s.w.ranges[sym]; in != nil {
		for d := range int64(4) {
			if in.lo > -infinite {
				out = append(out, in.lo+d)
			}
			if in.hi < infinite {
				out = append(out, in.hi-d)
			}
		}
		out = slices.DeleteFunc(out, func(v int64) bool { return v < in.lo || v > in.hi })
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// holds reports whether all limits hold whose symbols have values.
func (s *solver) holds() bool {
	for _, in := range s.limits {
		if v, ok := s.eval(in.form); ok && (v < in.lo || v > in.hi || slices.Contains(in.not, v)) {
			return false
		}
	}
	return true
}

func (s *solver) eval(n number) (int64, bool) {
	v := n.c
	for _, t := range n.terms {
		x, ok := s.vals[t.sym]
		if !ok {
			return 0, false
		}
		v += t.coef * x
	}
	return v, true
}
