package atomicset

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// The translation follows one object. A procedure of the model is a function together
// with the paths of its parameters, free variables and local variables in terms of that
// object; all other objects are unknown, and neither accesses to them nor their locks are
// in the model. Locks of the root from which the object was reached are, under the
// assumption that the object is reached from one owner.

// process translates a process and returns its procedure.
func (t *translator) process(p *process) int {
	t.cand = p.cand
	if p.outline != nil {
		return t.outline(p)
	}
	in := &instance{f: p.fn, entry: true}
	in.params = make([]accesspath.Path, len(p.fn.Fn.Params))
	in.frees = make([]accesspath.Path, len(p.fn.Fn.FreeVars))
	in.fns = make([]*binding, len(in.params))
	return t.proc(in)
}

// proc returns the procedure of an instance.
func (t *translator) proc(in *instance) int {
	key := in.key(t.cand)
	if i, ok := t.procs[key]; ok {
		return i
	}
	i := len(t.m.Procs)
	t.procs[key] = i
	proc := &model.Proc{Name: t.procName(summary.Name(in.f.Fn), i)}
	t.m.Procs = append(t.m.Procs, proc)
	in.unit = t.isUnit(in)
	b := &builder{t: t, in: in, proc: proc, states: make(map[string]int), count: make(map[int]int), where: summary.Name(in.f.Fn), steps: t.pkg.Steps(in.f), loops: make(map[*ssa.BasicBlock][]int)}
	b.build()
	return i
}

// procName returns the name of a function in the syntax of the model language.
func (t *translator) procName(name string, i int) string {
	return fmt.Sprintf("%s/%d", strings.NewReplacer("{", "", "}", "", ":", "", "#", "", " ", "").Replace(name), i)
}

// isUnit reports whether the function is a unit of work for the object.
func (t *translator) isUnit(in *instance) bool {
	for i, p := range in.params {
		if p.Within(object) && t.units.forParam(in.f, i) {
			return true
		}
	}
	if in.entry || t.set.owner == "" {
		return t.units.isUnit(in.f, t.cand)
	}
	reaches := func(p accesspath.Path) bool { return p.Within(object) || p.Within(around) }
	return (t.units.explicit(in.f) || t.units.all && t.units.byDefault(in.f, t.cand)) && (slices.ContainsFunc(in.params, reaches) || t.cands.leads(in.f, t.cand))
}
