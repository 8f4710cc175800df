package atomicset

import (
	"fmt"
	"strings"

	"github.com/atomvet/atomvet/passes/atomicset/internal/check"
	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
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
