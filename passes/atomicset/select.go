package atomicset

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomvet/atomvet/passes/atomicset/internal/check"
	"github.com/atomvet/atomvet/passes/internal/rule"
)

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
