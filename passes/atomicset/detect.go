package atomicset

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/atomicset/internal/check"
	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/summary"
)

// analyze makes the model of a set, or returns nil if no two processes access
// it.
func analyze(pass *analysis.Pass, pkg *summary.Package, set *atomicSet, dir *directives) *analyzed {
	cands := newCandidates(pkg, set)
	u := &units{pkg: pkg, set: set, dir: dir, all: set.inferred, closed: pass.Pkg.Name() == "main", cands: cands}
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
		t.m.Location(m.name())
	}
	roots := make([]int, len(list))
	for i, p := range list {
		p.proc = t.process(p)
		roots[i] = p.proc
		t.m.Processes = append(t.m.Processes, model.Process{Name: t.m.Procs[p.proc].Name, Proc: p.proc})
	}
	t.connect()
	a := &analyzed{pass: pass, pkg: pkg, set: set, judge: ruleFlags.Judge(pass), processes: list, model: t.m, full: t.full, before: sizeOf(t.m)}
	reduce(t.m, roots)
	a.after = sizeOf(t.m)
	if t.full {
		a.exceeds("ModelNodes")
	}
	return a
}

// exceeds records that the set exceeds a bound of package limit.
func (a *analyzed) exceeds(bound string) { a.pkg.Exceeds("atomic set "+a.set.String(), bound) }

// violations checks all pairs of processes for all scenarios.
func (a *analyzed) violations() []*violation {
	c := check.New(a.model)
	if a.set.inferred {
		c.Hurry()
	}
	if len(a.processes) > limit.SetProcesses {
		a.processes, a.full = a.processes[:limit.SetProcesses], true
		a.exceeds("SetProcesses")
	}
	best := make(map[string]*violation)
	for _, u := range a.processes {
		a.violationsOf(c, u, best)
	}
	out := a.innermost(slices.Collect(maps.Values(best)))
	slices.SortFunc(out, func(x, y *violation) int {
		return cmp.Or(cmp.Compare(x.act.Site, y.act.Site), cmp.Compare(x.scenario.Number, y.scenario.Number),
			cmp.Compare(x.act.Arg, y.act.Arg), strings.Compare(x.act.Within, y.act.Within), strings.Compare(x.accesses(), y.accesses()))
	})
	out = a.helpers(out)
	// One call may make several accesses that violate the set.
	return slices.CompactFunc(out, func(x, y *violation) bool { return x.act.Site == y.act.Site && x.act.Within == y.act.Within })
}

// violationsOf finds the violations of a process. One violation is kept for each function
// that makes a violating access.
func (a *analyzed) violationsOf(c *check.Checker, u *process, best map[string]*violation) {
	found, rejected := make(map[int]int), 0
	pairs := make([]pairing, len(a.processes))
	for i, v := range a.processes {
		pairs[i] = a.pair(u, v)
	}
	for _, s := range scenario.All {
		for _, locs := range a.assignments(c, u, s) {
			late := locs[s.Last(0).Loc]
			for i, v := range a.processes {
				if found[late] >= limit.SetTraces || !pairs[i].ok || !can(c, v, s, 1, locs) {
					continue
				}
				if a.questions++; a.questions > limit.SetQuestions {
					a.full = true
					a.exceeds("SetQuestions")
					return
				}
				q := check.Question{Pair: check.Pair{U: u.proc, V: v.proc, Parent: pairs[i].parent}, Scenario: s, Locations: locs}
				answer := c.Check(q)
				if answer.Method == check.Bounded {
					a.bounded++
				}
				if !answer.Possible {
					continue
				}
				if a.keep(best, &violation{set: a.set, scenario: s, names: a.names(s, locs), u: u, v: v, trace: c.Trace(q)}) {
					found[late]++
				} else if rejected++; rejected > limit.SetRejected {
					return
				}
			}
		}
	}
}

// assignments returns the pairs of locations that can stand for a and b in a scenario,
// among the locations that u accesses.
func (a *analyzed) assignments(c *check.Checker, u *process, s *scenario.Scenario) [][2]int {
	var out [][2]int
	for x := range a.model.Locations {
		if s.Locations() == 1 {
			if locs := [2]int{x, x}; can(c, u, s, 0, locs) {
				out = append(out, locs)
			}
			continue
		}
		for y := range a.model.Locations {
			if locs := [2]int{x, y}; x != y && can(c, u, s, 0, locs) {
				out = append(out, locs)
			}
		}
	}
	return out
}

// can reports whether a process makes all the accesses of one unit in a scenario.
func can(c *check.Checker, p *process, s *scenario.Scenario, unit int, locs [2]int) bool {
	reads, writes := c.Accesses(p.proc)
	for _, st := range s.Steps {
		list := reads
		if st.Write {
			list = writes
		}
		if st.Unit == unit && !slices.Contains(list, locs[st.Loc]) {
			return false
		}
	}
	return true
}

func (a *analyzed) names(s *scenario.Scenario, locs [2]int) []string {
	out := []string{a.model.Locations[locs[0]]}
	if s.Locations() == 2 {
		out = append(out, a.model.Locations[locs[1]])
	}
	return out
}
