package interleave

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A schedule says when T2 runs.
type schedule int

const (
	inWindow schedule = -1 - iota // between check and act, by choice
	before                        // before T1
	after                         // after T1
	// Other schedules are the number of a boundary of T1 that is not between check and act.
)

// A scheduler executes both units by a schedule.
type scheduler struct {
	r     *run
	q     *Question
	s     schedule
	open  bool // T1 has made the check, and not yet the act
	acted bool // T1 has made the act
	ran   bool // T2 has been started
	// outside counts the boundaries of T1 that are not between check and act.
	outside int
	windows int
}

func (e *Engine) newScheduler(q *Question, w *world, s schedule) *scheduler {
	r := &run{
		w: w, e: e, objects: make(map[string]*object), locks: make(map[string]*lock), uses: make(map[string]uint8),
		sent: make(map[string]bool), received: make(map[string]bool),
	}
	return &scheduler{r: r, q: q, s: s}
}

// execute runs both units. A run that does not come to its end panics with an abort.
func (sc *scheduler) execute() {
	r := sc.r
	r.start(0, &sc.q.First, nil)
	if sc.s == before {
		sc.second()
	}
	first := r.threads[0]
	for !first.done {
		sc.stepFirst()
	}
	if sc.s == after {
		sc.second()
	}
	if !sc.ran {
		panic(abort{infeasible, "T2 has not run"})
	}
	for id := range r.sent {
		if r.received[id] {
			panic(abort{unmodelled, "a channel between the units"})
		}
	}
	if r.conflicts() {
		panic(abort{unmodelled, "an object without code that both use"})
	}
}

// start begins a unit.
func (r *run) start(id int, u *Unit, other *Unit) *thread {
	w := r.w
	if w.args[id] == nil {
		w.args[id] = make([]value, 0, len(u.Fn.Params))
		for i, p := range u.Fn.Params {
			w.args[id] = append(w.args[id], w.param(p.Name(), p.Type(), id, i, other))
		}
		for _, v := range u.Fn.FreeVars {
			w.free[id] = append(w.free[id], w.captured(v))
		}
	}
	t := newThread(r, id, u, w.args[id], w.free[id])
	r.threads[id] = t
	for _, g := range u.Entry {
		name, ok := t.lockName(g.Path)
		if !ok {
			panic(abort{unmodelled, "the lock of a caller"})
		}
		t.needs = append(t.needs, held{name, g.Mode == lockset.Shared})
	}
	return t
}

// param returns an argument of a unit.
func (w *world) param(name string, typ types.Type, id, i int, other *Unit) value {
	elem, isPointer := typ.Underlying().(*types.Pointer)
	if id == 0 {
		if isPointer {
			obj := w.named(name, elem.Elem(), "")
			w.given = append(w.given, obj)
			return pointer{obj: obj}
		}
		return w.unknown(name, typ, "", false)
	}
	name += "'"
	if isPointer {
		return pointer{obj: w.second(name, elem.Elem(), i, other)}
	}
	if !ssautil.IsNumber(typ) && !ssautil.IsBool(typ) {
		for j, p := range other.Fn.Params {
			if types.Identical(p.Type(), typ) && w.choose(name+" is that of T1", 2) == 0 {
				return w.args[0][j]
			}
		}
	}
	return w.unknown(name, typ, "", false)
}

// second returns the object that a parameter of T2 points to: the receiver of T1 if that has the
// same type, or an object that T1 has come across.
func (w *world) second(name string, elem types.Type, i int, other *Unit) string {
	var same []string
	for _, id := range w.names {
		if in := w.infos[id]; in.made == "" && in.typ != nil && types.Identical(in.typ, elem) && len(same) < limit.RunAliases {
			same = append(same, id)
		}
	}
	if i == 0 && len(same) > 0 && len(other.Fn.Params) > 0 && types.Identical(ssautil.Deref(other.Fn.Params[0].Type()), elem) {
		return same[0]
	}
	n := len(same)
	if i > 0 || n == 0 {
		n++
	}
	if k := w.choose(name+" is", n); k < len(same) {
		return same[k]
	}
	obj := w.named(name, elem, "")
	w.given = append(w.given, obj)
	return obj
}

// captured returns a free variable. Literals of one function share the variables that they bind.
func (w *world) captured(v *ssa.FreeVar) value {
	name := v.Name()
	if b := depgraph.Binding(v); b != nil && b.Parent() != nil {
		name = b.Parent().Name() + "." + v.Name()
	}
	if p, ok := v.Type().Underlying().(*types.Pointer); ok {
		return pointer{obj: w.named("&"+name, p.Elem(), "")}
	}
	return w.unknown(name, v.Type(), "", false)
}

// lockName evaluates the path of a lock that the callers of the unit hold.
func (t *thread) lockName(path accesspath.Path) (string, bool) {
	at, typ, ok := t.rootOf(path)
	if !ok || path.HasElement() {
		return "", false
	}
	for _, name := range path.Fields() {
		if at, typ, ok = t.indirect(at, typ); !ok {
			return "", false
		}
		obj, _, _ := types.LookupFieldOrMethod(typ, true, t.r.e.graph.Pkg, name)
		f, isVar := obj.(*types.Var)
		if !isVar {
			return "", false
		}
		at, typ = pointer{at.obj, at.path + "." + name, f}, f.Type()
	}
	if p, ok := typ.(*types.Pointer); ok {
		v, isPointer := t.r.load(t, at, p).(pointer)
		if !isPointer {
			return "", false
		}
		at = v
	}
	return at.obj + at.path, true
}

// rootOf returns what a path starts at: what a parameter or a free variable points to, with its type, or a
// package variable, whose type is nil.
func (t *thread) rootOf(path accesspath.Path) (pointer, types.Type, bool) {
	if path.IsGlobal() {
		return pointer{obj: accesspath.Location(path.Root()).Name()}, nil, true
	}
	vals, i := t.r.w.args[t.id], path.ParamIndex()
	if i < 0 {
		vals, i = t.r.w.free[t.id], path.FreeIndex()
	}
	if i < 0 || i >= len(vals) {
		return pointer{}, nil, false
	}
	p, ok := vals[i].(pointer)
	if !ok {
		return pointer{}, nil, false
	}
	if path.IsFree() {
		return p, ssautil.Deref(t.unit.Fn.FreeVars[i].Type()), true
	}
	return p, ssautil.Deref(t.unit.Fn.Params[i].Type()), true
}

// indirect follows the pointers that are stored at a place until there is a value of another type. It
// reports whether it got there: the type of a package variable is not known.
func (t *thread) indirect(at pointer, typ types.Type) (pointer, types.Type, bool) {
	for range limit.Selectors {
		if typ == nil {
			break
		}
		p, ok := typ.Underlying().(*types.Pointer)
		if !ok {
			return at, typ, true
		}
		v, ok := t.r.load(t, at, typ).(pointer)
		if !ok {
			break
		}
		at, typ = v, p.Elem()
	}
	return pointer{}, nil, false
}

// stepFirst executes an instruction of T1, and T2 where the schedule has it.
func (sc *scheduler) stepFirst() {
	t := sc.r.threads[0]
	if len(t.frames) == 1 && len(t.needs) == 0 {
		switch t.next() {
		case sc.q.Check:
			sc.open, sc.acted = true, false
		case sc.q.Act:
			sc.acted = sc.acted || sc.open
			sc.open = false
		}
	}
	t.step()
	if t.waits != "" {
		panic(abort{stuck, "T1 waits for " + t.waits})
	}
	if sc.s == inWindow && len(t.frames) == 1 && t.frames[0].pc == 0 {
		sc.prune(t.frames[0].block)
	}
	if !t.boundary || sc.ran || t.done {
		return
	}
	switch {
	case sc.open:
		sc.windows++
		if sc.s == inWindow && sc.r.w.choose("T2 runs at boundary "+strconv.Itoa(sc.windows), 2) == 0 {
			sc.second()
		}
	case t.frames[0].block.Instrs[t.frames[0].pc] == sc.q.Act:
		// within a callee that acts
	default:
		sc.outside++
		if sc.s == schedule(sc.outside) {
			sc.second()
		}
	}
}

// prune ends a run that cannot make the check any more, or, after the check, the act.
func (sc *scheduler) prune(at *ssa.BasicBlock) {
	target := sc.q.Check
	switch {
	case sc.acted:
		return
	case sc.open:
		target = sc.q.Act
	}
	if !sc.r.e.leads(at, target.Block()) {
		panic(abort{infeasible, "the act is not made"})
	}
}

// leads reports whether control can reach a block from another one.
func (e *Engine) leads(from, to *ssa.BasicBlock) bool {
	ways, ok := e.ways[to]
	if !ok {
		ways = map[*ssa.BasicBlock]bool{to: true}
		for work := []*ssa.BasicBlock{to}; len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, p := range b.Preds {
				if !ways[p] {
					ways[p] = true
					work = append(work, p)
				}
			}
		}
		e.ways[to] = ways
	}
	return ways[from]
}

// second executes T2. Where it has to wait for a lock that T1 holds, T1 goes on.
func (sc *scheduler) second() {
	sc.ran = true
	r := sc.r
	r.record(nil, Switched, "", nil)
	t := r.start(1, &sc.q.Second, &sc.q.First)
	for !t.done {
		t.step()
		for t.waits != "" {
			if r.threads[0].done {
				panic(abort{stuck, "T2 waits for " + t.waits})
			}
			if sc.s != inWindow {
				panic(abort{infeasible, "T2 waits for T1"})
			}
			sc.stepFirst()
			t.step()
		}
	}
	r.record(nil, Switched, "", nil)
}
