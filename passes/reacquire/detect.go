package reacquire

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

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
		why      *candidate
		category string
	}
	best := make(map[ssa.Instruction]ranked)
	var order []ssa.Instruction
	rank := []string{reacquired, encapsulated, bare, different}
	for _, r := range pairs {
		category, why := d.classify(r)
		at := d.takings[r.second].Instr
		old, known := best[at]
		if !known {
			order = append(order, at)
		}
		if !known || slices.Index(rank, category) < slices.Index(rank, old.category) {
			best[at] = ranked{r, why, category}
		}
	}
	var out []finding.Finding
	for _, at := range order {
		if r := best[at]; wanted(r.category) {
			out = append(out, d.finding(r.pair, r.category, r.why))
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
	return slices.ContainsFunc(d.takings, func(t summary.Taking) bool { return d.f.Paths().Reaches(t.Instr, t.Instr) })
}

// wanted reports whether the flags ask for a category. For encapsulated see rules.
func wanted(category string) bool {
	switch category {
	case bare:
		return pattern
	case different:
		return variant
	}
	return true
}

// classify returns the category of a pair, and the candidate that gives it, if any.
func (d *detector) classify(r pair) (string, *candidate) {
	if d.takings[r.first].Path != d.takings[r.second].Path {
		return different, nil
	}
	category := bare
	for c := range d.candidates(r) {
		if !rule.Accept(d.judge, d.rules, c) {
			continue
		}
		if c.category() == reacquired {
			return reacquired, c
		}
		category = encapsulated
	}
	return category, nil
}
