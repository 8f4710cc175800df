package atomicset

import (
	"cmp"
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

// maxNodes bounds a model, and maxStates the states in which one block of a function is
// translated: the deferred calls, and the paths of the phis.
const (
	maxNodes  = 20000
	maxStates = 12
)

// A translator builds the model of one set.
type translator struct {
	pkg   *summary.Package
	set   *atomicSet
	units *units
	cands *candidates
	m     *model.Model
	procs map[string]int
	// processes are the entry points that a go statement may start.
	processes []*process
	starts    []start
	awaits    []await
	nodes     int // number of nodes so far
	// cand is the path of the object in the current process.
	cand candidate
	// full says that the model reached its bound and is incomplete.
	full bool
}

// An instance is a function with the paths of its parameters and free variables.
type instance struct {
	f             *summary.Func
	params, frees []accesspath.Path
	fns           []*binding // of the parameters that are functions
	entry         bool       // the process starts at it
	unit          bool
}

func (in *instance) key(cand candidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%v|%v|%v|%v", in.f.Fn.String(), in.params, in.frees, in.entry, in.f == cand.fn)
	for _, fn := range in.fns {
		if fn != nil {
			b.WriteString("|" + fn.key)
		} else {
			b.WriteString("|")
		}
	}
	if in.entry || cand.base.Root() != cand.base || !isParam(cand.base) {
		fmt.Fprintf(&b, "|%s:%s=%s", cand.fn.Fn.String(), cand.base, cand.as)
	}
	return b.String()
}

// isParam reports whether a path is a parameter or free variable, without selectors.
func isParam(p accesspath.Path) bool { return p[0] == 'p' || p[0] == 'f' }

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

// compareProcess orders processes by their declarations, so that models are
// deterministic.
func compareProcess(a, b *process) int {
	return cmp.Or(cmp.Compare(a.pos(), b.pos()), strings.Compare(a.name(), b.name()), strings.Compare(string(a.cand.base), string(b.cand.base)))
}
