package atomicset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/atomicset/internal/check"
	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
	"github.com/atomvet/atomvet/passes/summary"
)

// analyzed is one set with its model.
type analyzed struct {
	pass      *analysis.Pass
	pkg       *summary.Package
	set       *atomicSet
	processes []*process
	model     *model.Model
	full      bool // see translator.full
	before    size
	after     size
	questions int
	bounded   int // of them, how many were not answered exactly
}

// A violation is an interleaving of two processes that breaks a set.
type violation struct {
	set      *atomicSet
	scenario *scenario.Scenario
	// names are the locations that stand for a and b.
	names []string
	u, v  *process
	trace []check.Step
	// act is the step to report.
	act check.Step
	// intrudes says that act is one of the other process, which does not hold
	// the lock that u holds.
	intrudes bool
}

// analyze makes the model of a set, or returns nil if no two processes access
// it.
func analyze(pass *analysis.Pass, pkg *summary.Package, set *atomicSet, dir *directives) *analyzed {
	u := &units{pkg: pkg, set: set, dir: dir, all: set.inferred}
	cands := newCandidates(pkg, set)
	for _, f := range pkg.Funcs {
		cands.of(f)
	}
	list := processes(pass, pkg, u, cands)
	if len(list) == 0 {
		return nil
	}
	list = append(list, imported(pkg, dir, set)...)
	t := &translator{pkg: pkg, set: set, units: u, cands: cands, m: new(model.Model), procs: make(map[string]int), processes: list}
	for _, m := range set.members {
		indexOf(&t.m.Locations, m.name())
	}
	roots := make([]int, len(list))
	for i, p := range list {
		p.proc = t.process(p)
		roots[i] = p.proc
		t.m.Processes = append(t.m.Processes, model.Process{Name: t.m.Procs[p.proc].Name, Proc: p.proc})
	}
	t.connect()
	a := &analyzed{pass: pass, pkg: pkg, set: set, processes: list, model: t.m, full: t.full, before: sizeOf(t.m)}
	reduce(t.m, roots)
	a.after = count(t.m)
	return a
}

// maxProcesses bounds the processes of a set: pairs grow with the square.
const maxProcesses = 60

// violations checks all pairs of processes for all scenarios.
func (a *analyzed) violations() []*violation {
	c := check.New(a.model)
	if len(a.processes) > maxProcesses {
		a.processes, a.full = a.processes[:maxProcesses], true
	}
	best := make(map[string]*violation)
	for _, u := range a.processes {
		a.violationsOf(c, u, best)
	}
	out := a.innermost(slices.Collect(maps.Values(best)))
	slices.SortFunc(out, func(x, y *violation) int {
		return cmp.Or(cmp.Compare(x.act.Site, y.act.Site), cmp.Compare(x.scenario.Number, y.scenario.Number), cmp.Compare(x.act.Arg, y.act.Arg))
	})
	out = a.helpers(out)
	// One call may make several accesses that come too late.
	return slices.CompactFunc(out, func(x, y *violation) bool { return x.act.Site == y.act.Site && x.act.Within == y.act.Within })
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

// helpers keeps one violation of a function that is no unit itself, but makes both
// accesses for several.
func (a *analyzed) helpers(list []*violation) []*violation {
	seen := make(map[string]bool)
	return slices.DeleteFunc(list, func(v *violation) bool {
		first := v.trace[slices.IndexFunc(v.trace, func(s check.Step) bool { return s.Access && s.Unit == 0 })]
		if v.intrudes || first.Where != v.act.Where || v.act.Where == v.act.Within {
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

// accesses names the places of the accesses of u.
func (v *violation) accesses() string {
	var b strings.Builder
	for _, s := range v.trace {
		if s.Access && s.Unit == 0 {
			fmt.Fprint(&b, s.Pos, " ")
		}
	}
	return b.String()
}

// maxTraces bounds the interleavings that are looked for on behalf of one
// process whose access to one location comes too late. The scenarios that come
// first are looked for first.
const maxTraces = 3

// violationsOf finds what can happen to a process. Of each function in which an
// access comes too late, one violation is kept.
func (a *analyzed) violationsOf(c *check.Checker, u *process, best map[string]*violation) {
	found := make(map[int]int)
	for _, s := range scenario.All {
		for _, locs := range a.assignments(c, u, s) {
			late := locs[s.Last(0).Loc]
			for _, v := range a.processes {
				pair := a.pair(u, v)
				if !pair.ok {
					continue
				}
				q := check.Question{Pair: check.Pair{U: u.proc, V: v.proc, Parent: pair.parent}, Scenario: s, Locations: locs}
				answer := c.Check(q)
				a.questions++
				if answer.Method == check.Bounded {
					a.bounded++
				}
				if !answer.Possible || found[late] >= maxTraces {
					continue
				}
				found[late]++
				a.keep(best, &violation{set: a.set, scenario: s, names: a.names(s, locs), u: u, v: v, trace: c.Trace(q)})
			}
		}
	}
}

// keep remembers of the violations of one unit of work at one location the one
// whose scenario comes first in the list, and of these the shortest.
func (a *analyzed) keep(best map[string]*violation, v *violation) {
	if v.trace == nil {
		return
	}
	v.judge()
	if !a.plausible(v) {
		return
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
}

// judge finds the access to report. It is the last one of u, which comes too
// late; but if u holds a lock from its first access to its last, it is the one
// that the other process makes in between, which that lock should prevent.
func (v *violation) judge() {
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
	held := v.trace[first].Held
	for _, s := range v.trace[first:last] {
		if s.Unit == 0 {
			held &= s.Held
		}
	}
	if held == 0 {
		return
	}
	for _, s := range v.trace {
		if s.Access && s.Unit == 1 {
			v.act, v.intrudes = s, true
			return
		}
	}
}

// assignments returns the locations that can stand for a and b in a scenario,
// judged by what u accesses.
func (a *analyzed) assignments(c *check.Checker, u *process, s *scenario.Scenario) [][2]int {
	reads, writes := c.Accesses(u.proc)
	can := func(locs [2]int) bool {
		for _, st := range s.Steps {
			list := reads
			if st.Write {
				list = writes
			}
			if st.Unit == 0 && !slices.Contains(list, locs[st.Loc]) {
				return false
			}
		}
		return true
	}
	var out [][2]int
	for x := range a.model.Locations {
		if s.Locations() == 1 {
			if locs := [2]int{x, x}; can(locs) {
				out = append(out, locs)
			}
			continue
		}
		for y := range a.model.Locations {
			if locs := [2]int{x, y}; x != y && can(locs) {
				out = append(out, locs)
			}
		}
	}
	return out
}

func (a *analyzed) names(s *scenario.Scenario, locs [2]int) []string {
	out := []string{a.model.Locations[locs[0]]}
	if s.Locations() == 2 {
		out = append(out, a.model.Locations[locs[1]])
	}
	return out
}
