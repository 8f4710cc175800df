package atomicset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/atomicset/internal/check"
	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
	"github.com/atomvet/atomvet/passes/internal/rule"
)

// A violation is an interleaving of two processes that breaks a set.
type violation struct {
	set      *atomicSet
	scenario *scenario.Scenario
	// names are the locations that stand for a and b.
	names []string
	u, v  *process
	trace []check.Step
	// act is the step at which the violation is reported.
	act check.Step
	// intrudes says that act is a step of the interfering process, which does not hold the
	// lock that u holds.
	intrudes bool
	// through says that u holds a lock from its first access to its last.
	through bool
}

// innermost leaves out the violations of units that call another one with the
// same accesses.
func (a *analyzed) innermost(list []*violation) []*violation {
	return slices.DeleteFunc(slices.Clone(list), func(v *violation) bool {
		return slices.ContainsFunc(list, func(o *violation) bool {
			return o.act.Within != v.act.Within && o.accesses() == v.accesses() && a.calls(v.u, o.act.Within) && !a.calls(o.u, v.act.Within)
		})
	})
}

// helpers keeps one violation of a function that is not a unit itself, but makes both
// accesses for several.
func (a *analyzed) helpers(list []*violation) []*violation {
	seen := make(map[string]bool)
	return slices.DeleteFunc(list, func(v *violation) bool {
		if v.trace == nil {
			return false
		}
		if first := v.accessesOf(0)[0]; v.intrudes || first.Where != v.act.Where || v.act.Where == v.act.Within {
			return false
		}
		key := v.accesses()
		known := seen[key]
		seen[key] = true
		return known
	})
}

// calls reports whether a process runs a function.
func (a *analyzed) calls(p *process, name string) bool {
	return slices.ContainsFunc(a.model.Reachable(p.proc), func(i int) bool {
		nodes := a.model.Procs[i].Nodes
		return len(nodes) > 0 && nodes[0].Where == name
	})
}

// accesses returns the places of the accesses of u.
func (v *violation) accesses() string {
	var b strings.Builder
	for _, s := range v.accessesOf(0) {
		fmt.Fprint(&b, s.Pos, " ")
	}
	return b.String()
}

// accessesOf returns the accesses of u, or of u', in the scenario.
func (v *violation) accessesOf(unit int) []check.Step {
	var out []check.Step
	for _, s := range v.trace {
		if s.Access && s.Unit == unit {
			out = append(out, s)
		}
	}
	return out
}

// keep reports whether the rules accept a violation, and keeps, among the violations of
// one unit of work at one location, the one whose scenario is first in the list, and
// among these the shortest.
func (a *analyzed) keep(best map[string]*violation, v *violation) bool {
	if v.trace == nil {
		// The search exceeded its bounds: only the unit is known.
		v.act = check.Step{Pos: v.u.pos(), Site: v.u.pos(), Within: v.u.name(), Where: v.u.name()}
	} else {
		v.locate()
	}
	if v.set.inferred && (v.trace == nil || !rule.Accept(a.judge, rules, &inferredViolation{v, a})) {
		return false
	}
	key := fmt.Sprint(v.act.Within, "|", v.act.Arg)
	if v.act.Within == "" {
		key += v.act.Where
	}
	old := best[key]
	switch {
	case old == nil:
		best[key] = v
	case cmp.Or(cmp.Compare(v.scenario.Number, old.scenario.Number), cmp.Compare(len(v.trace), len(old.trace))) < 0:
		best[key] = v
	}
	return true
}

// locate finds the access to report. It is the last access of u, which uses a stale
// value; but if u holds a lock from its first access to its last, and the other process
// interferes without any lock of u, it is the interfering access.
func (v *violation) locate() {
	first, last := -1, -1
	for i, s := range v.trace {
		if s.Access && s.Unit == 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	v.act = v.trace[last]
	held, any := v.trace[first].Held, v.trace[first].Held|v.act.Held
	for _, s := range v.trace[first:last] {
		if s.Unit == 0 {
			held &= s.Held
		}
	}
	if held == 0 {
		return
	}
	v.through = true
	for _, s := range v.accessesOf(1) {
		if s.Site.IsValid() && s.Held&any == 0 {
			v.act, v.intrudes = s, true
			return
		}
	}
}

func (a *analyzed) names(s *scenario.Scenario, locs [2]int) []string {
	out := []string{a.model.Locations[locs[0]]}
	if s.Locations() == 2 {
		out = append(out, a.model.Locations[locs[1]])
	}
	return out
}
