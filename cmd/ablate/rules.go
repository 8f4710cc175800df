package main

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// A rule is one that a detector can leave out.
type rule struct {
	detector *analysis.Analyzer
	id       string
}

func (r rule) String() string { return r.detector.Name + "." + r.id }

// without is the flag of a detector that takes the rules to leave out. Its value lists all
// rules that there are.
const without = "without"

type lister interface{ IDs() []string }

// rulesOf returns the rules of detectors, in their order. A detector without the flag has
// none.
func rulesOf(detectors []*analysis.Analyzer) []rule {
	var out []rule
	for _, d := range detectors {
		f := d.Flags.Lookup(without)
		if f == nil {
			continue
		}
		if value, ok := f.Value.(lister); ok {
			for _, id := range value.IDs() {
				out = append(out, rule{d, id})
			}
		}
	}
	return out
}

// choose returns the rules with the given names, or all of them.
func choose(rules []rule, names []string) ([]rule, error) {
	if len(names) == 0 {
		return rules, nil
	}
	var out []rule
	for _, name := range names {
		n := len(out)
		for _, r := range rules {
			if name == r.id || name == r.String() {
				out = append(out, r)
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("no detector has a rule %s", name)
		}
	}
	slices.SortStableFunc(out, func(a, b rule) int { return slices.Index(rules, a) - slices.Index(rules, b) })
	return slices.Compact(out), nil
}
