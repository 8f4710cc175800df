package funcsum

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A source has the reads and parameters that a value or a condition depends on.
type source struct {
	events []int
	params uint32
}

// A use identifies the values that an instruction uses: all of them, or the arguments for a
// set of parameters of the callee.
type use struct {
	instr ssa.Instruction
	args  uint32
}

// dependences finds what the writes of a function depend on. The accesses of one callee share most of the sources, and those
// of a block their conditions, which is why both are cached.
type dependences struct {
	p        *Summaries
	f        *Body
	values   valueIndex
	siblings map[sibling]int
	// inputs and decisions have the sources of the arguments of a call, conditions those that decide whether a block runs.
	inputs, decisions map[use]source
	conditions        map[*ssa.BasicBlock]source
}

// dependencies sets the dependences and traits of the writes of f.
func (p *Summaries) dependencies(f *Body) {
	d := dependences{
		p: p, f: f, values: f.valueIndex(), siblings: make(map[sibling]int),
		inputs: make(map[use]source), decisions: make(map[use]source), conditions: make(map[*ssa.BasicBlock]source),
	}
	for i, e := range f.Events {
		if e.Callee != nil {
			d.siblings[sibling{e.Instr, e.Callee, e.Index}] = i
		}
	}
	for i, e := range f.Events {
		if e.Writes() {
			d.set(i, e)
		}
	}
	for _, e := range f.Events {
		e.Traits = e.Traits.With(fact.Tested, e.Tested() || f.testsPresence(e))
	}
	f.markOwned()
	f.markAwaited()
}

// set sets the dependences and traits of a write, the event with index i.
func (d *dependences) set(i int, e *Event) {
	p, f := d.p, d.f
	var data, control source
	var slice depgraph.Slice
	if e.Callee != nil {
		data, control = d.ofCallee(e)
	} else {
		data, slice = d.find(e.Inputs)
		control = d.ofBlock(e)
	}
	e.Data, e.dataParams = without(data.events, i), data.params
	e.Control, e.ctrlParams = without(control.events, i), control.params
	switch {
	case e.Callee != nil:
		d.addSiblings(e)
	case e.Within == nil:
		d.setTraits(e, slice)
	}
	e.addedParams = p.addedParams(f, e)
	e.upserts = f.upserts(e)
	looks := f.looks(e)
	e.Traits = e.Traits.With(fact.Looked, e.Traits.Has(fact.Looked) || len(looks) > 0)
	e.ruledOut = f.ruledOut(e, looks)
	e.resultTested = p.resultTested(f, e)
}

// find returns the sources of values, with the slice that has them.
func (d *dependences) find(values []ssa.Value) (source, depgraph.Slice) {
	if len(values) == 0 {
		return source{}, nil
	}
	s := d.p.slice(d.f).Back(values...)
	return source{d.values.events(d.f, s), d.f.params(s)}, s
}

// ofCallee returns the sources of the value that a callee writes, and of the decision to call it and to write.
func (d *dependences) ofCallee(e *Event) (data, control source) {
	a := &e.Callee.Accesses[e.Index]
	data = cached(d.inputs, use{e.Instr, a.DataParams}, e, func() source {
		s, _ := d.find(e.Inputs)
		return s
	})
	control = cached(d.decisions, use{e.Instr, a.ControlParams}, e, func() source {
		s, _ := d.find(d.f.Conditions(e))
		return s
	})
	return data, control
}

// ofBlock returns the sources of the decision for a write that the function makes itself.
func (d *dependences) ofBlock(e *Event) source {
	return cached(d.conditions, e.Instr.Block(), e, func() source {
		s, _ := d.find(d.f.Conditions(e))
		return s
	})
}

// cached returns the sources for a key. An inlined access has conditions in the literal as well, and sources of its own.
func cached[K comparable](known map[K]source, key K, e *Event, find func() source) source {
	if e.Within != nil {
		return find()
	}
	s, ok := known[key]
	if !ok {
		s = find()
		known[key] = s
	}
	return s
}

// addSiblings adds what a write of a callee depends on in the callee.
func (d *dependences) addSiblings(e *Event) {
	a := &e.Callee.Accesses[e.Index]
	e.Data = Union(e.Data, d.p.siblings(d.siblings, e, a.Data))
	if e.asserted = asserts(e); e.asserted {
		e.Traits &^= fact.Looked
	} else {
		e.Control = Union(e.Control, d.p.siblings(d.siblings, e, a.Control))
	}
}

// setTraits sets the traits of a write that the function makes itself, of a value with the given slice.
func (d *dependences) setTraits(e *Event, slice depgraph.Slice) {
	pure, clock := d.p.kind(d.f, e, slice)
	delta := e.Reads() && e.Op&fact.Content == 0 && !e.replaces || d.f.isDelta(e)
	e.Traits = e.Traits.With(fact.Pure, pure).With(fact.Clock, clock).With(fact.Delta, delta).
		With(fact.Passed, e.passes()).With(fact.Shrinks, d.f.shrinks(e))
	e.Added = d.f.added(e)
	e.Traits = e.Traits&^(fact.Filling|fact.Raising|fact.Lowering) | change(e)
}

// asksForOwnValue reports whether a write is only decided by what r has read as far as that is not the value that
// is written. The place has that value afterwards, whatever was read: that is no look.
//
//	if s.state != next { s.state = next; s.notify() }
func (f *Body) asksForOwnValue(r, w *Event) bool {
	if r.Loc != w.Loc || r.Base != w.Base || r.Key != w.Key || w.Op&(fact.Delete|fact.Content) != 0 || len(w.Inputs) == 0 {
		return false
	}
	own := false
	for _, cond := range f.Conditions(w) {
		if !f.Slice(cond).HasAny(r.Values) {
			continue
		}
		compared, ok := cond.(*ssa.BinOp)
		if !ok || compared.Op != token.EQL && compared.Op != token.NEQ ||
			!(compared.X == w.Inputs[0] && slices.Contains(r.Values, compared.Y)) && !(compared.Y == w.Inputs[0] && slices.Contains(r.Values, compared.X)) {
			return false
		}
		own = true
	}
	return own
}

// resultTested reports whether the result of an atomic read-modify-write decides a branch:
//
//	if old := s.state.Swap(done); old == done { return }
func (p *Summaries) resultTested(f *Body, e *Event) bool {
	if !e.Reads() || e.Op&(fact.Content|fact.Compare) != 0 || !slices.ContainsFunc(e.Holds, Hold.IsAtomic) ||
		!slices.ContainsFunc(e.Values, func(v ssa.Value) bool { return len(ssautil.Uses(v)) > 0 }) {
		return false
	}
	for br := range depgraph.Branches(f.Fn) {
		if f.Paths().Reaches(e.Instr, br) && p.slice(f).Back(br.Cond).HasAny(e.Values) {
			return true
		}
	}
	return false
}

// plain reports whether two accesses are outside critical sections of f, and f has no
// operations on locks: both are in one critical section of the caller, if there is one.
func (f *Body) plain(a, b *Event) bool {
	return len(a.Holds) == 0 && len(b.Holds) == 0 && len(f.ops) == 0
}

// A sibling identifies an access of a callee at a call.
type sibling struct {
	instr  ssa.Instruction
	callee *fact.FuncSummary
	index  int
}

// siblings returns the indexes into Body.Events of the accesses in list of the callee of e.
func (p *Summaries) siblings(all map[sibling]int, e *Event, list []int) []int {
	var out []int
	for _, i := range list {
		if j, ok := all[sibling{e.Instr, e.Callee, i}]; ok {
			out = append(out, j)
		}
	}
	slices.Sort(out)
	return out
}

// without returns list without i. The accesses of one call share most lists, so that a list
// that does not have i is returned itself.
func without(list []int, i int) []int {
	if !slices.Contains(list, i) {
		return slices.Clip(list)
	}
	return slices.DeleteFunc(slices.Clone(list), func(j int) bool { return j == i })
}

// kind reports whether the value that e writes is a plain one that is not computed from
// shared memory (fact.Pure), and whether it is the current time (fact.Clock), as a deadline
// is that is computed with what is there at the time of the write:
//
//	s.until = time.Now().Add(s.ttl)
func (p *Summaries) kind(f *Body, e *Event, data depgraph.Slice) (pure, clock bool) {
	shared := func(i int) bool { return len(f.Events[i].Holds) > 0 }
	stale := func(i int) bool {
		return shared(i) && (f.Events[i].Loc == e.Loc || !SharePassage(f.Events[i], e))
	}
	if e.Op&fact.Content != 0 || slices.ContainsFunc(e.Data, stale) {
		return false, false
	}
	fresh := slices.ContainsFunc(e.Data, shared)
	pure = !p.varies(f, e) && !fresh
	values := e.Inputs
	if e.Key != "" && len(values) > 1 {
		values = values[:1] // the second input is the key
	}
	for _, v := range values {
		v = ssautil.Unboxed(v)
		if !ssautil.IsPlain(v.Type()) && !(e.Key != "" && isPlainList(v.Type())) {
			pure = false
		}
	}
	for _, v := range data {
		clock = clock || isTick(v)
		c, ok := v.(*ssa.Call)
		if !ok {
			continue
		}
		if static := ssautil.Target(&c.Call); static != nil {
			clock = clock || p.IsClock(static)
			continue
		}
		builtin := ssautil.Builtin(&c.Call) != ""
		switch {
		case p.isClockValue(f, &c.Call):
			clock = true
		case !builtin && !p.madeByCall(f, c.Call.Value) && !p.ofKey(f, e, c.Call.Value):
			pure = false // an unknown function may not be deterministic
		}
	}
	return pure && !clock, clock && !slices.ContainsFunc(values, func(v ssa.Value) bool { return !isTime(v.Type()) })
}

// IsClock reports whether the result of a function is the current time: time.Now, or a function
// of the package without arguments that computes something from that.
//
//	func now() int64 { return time.Now().Unix() }
func (p *Summaries) IsClock(fn *ssa.Function) bool {
	if obj, ok := fn.Object().(*types.Func); ok && stdlib.OfFunc(obj).Clock {
		return true
	}
	if p.ByFn[fn] == nil || len(fn.Params)+len(fn.FreeVars) > 0 || len(fn.Blocks) != 1 {
		return false
	}
	calls, clock := 0, false
	for _, instr := range fn.Blocks[0].Instrs {
		if c, ok := instr.(*ssa.Call); ok {
			if callee := c.Call.StaticCallee(); callee != nil && callee != fn {
				obj, _ := callee.Object().(*types.Func)
				clock = clock || obj != nil && stdlib.OfFunc(obj).Clock
			}
			calls++
		}
	}
	return clock && calls <= 3
}

// isClockValue reports whether a dynamic call yields the current time: all that it may call are
// clocks, or it calls a function value that is given nothing and returns a time.
//
//	now func() time.Time // time.Now, if it is no test
func (p *Summaries) isClockValue(f *Body, c *ssa.CallCommon) bool {
	if callees := p.Callees(f, c); len(callees) > 0 {
		return !slices.ContainsFunc(callees, func(callee callgraph.Callee) bool {
			library := callee.Obj != nil && stdlib.OfFunc(callee.Obj).Clock
			return !library && (callee.Fn == nil || !p.IsClock(callee.Fn.Fn))
		})
	}
	sig := c.Signature()
	return !c.IsInvoke() && sig.Params().Len() == 0 && sig.Results().Len() == 1 && isMoment(sig.Results().At(0).Type())
}

// isTime reports whether values of type t are times, or numbers that may be.
func isTime(t types.Type) bool {
	return ssautil.IsNumber(t) || isMoment(t)
}

func isMoment(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "time" && named.Obj().Name() == "Time"
}

// isTick reports whether v is received from a channel of times, as that of a ticker is.
func isTick(v ssa.Value) bool {
	recv, ok := v.(*ssa.UnOp)
	if !ok || recv.Op != token.ARROW {
		return false
	}
	elem := recv.X.Type().Underlying().(*types.Chan).Elem()
	return isTime(elem) && !ssautil.IsNumber(elem)
}

// reads reports whether v is what a read has found in the place of e, on which e depends.
func (f *Body) reads(e *Event, v ssa.Value) bool {
	return slices.ContainsFunc(e.Data, func(i int) bool {
		r := f.Events[i]
		return r.Loc == e.Loc && r.Base == e.Base && r.Key == e.Key && slices.Contains(r.Values, v)
	})
}

// isDelta reports whether e writes a sum or difference with the current value as a term.
func (f *Body) isDelta(e *Event) bool {
	if len(e.Inputs) == 0 {
		return false
	}
	op, ok := withoutBounds(e.Inputs[0]).(*ssa.BinOp)
	if !ok || op.Op != token.ADD && op.Op != token.SUB {
		return false
	}
	return f.reads(e, op.X) || f.reads(e, op.Y)
}

// withoutBounds returns the operand of min or max that is a sum or difference, or v:
//
//	s.n = max(s.n-1, 0)
func withoutBounds(v ssa.Value) ssa.Value {
	c, ok := v.(*ssa.Call)
	if !ok {
		return v
	}
	if b := ssautil.Builtin(&c.Call); b != "min" && b != "max" {
		return v
	}
	for _, a := range c.Call.Args {
		if op, ok := a.(*ssa.BinOp); ok {
			return op
		}
	}
	return v
}

// varies reports whether the value that e writes depends on a parameter that the key does
// not depend on: two callers may write different values under one key.
func (p *Summaries) varies(f *Body, e *Event) bool {
	if len(e.Inputs) == 0 {
		return false
	}
	value, key := f.params(p.slice(f).Back(e.Inputs[0])), uint32(0)
	if f.Fn.Signature.Recv() != nil {
		key = 1
	}
	for _, v := range e.Inputs[1:] {
		key |= f.params(p.slice(f).Back(v))
	}
	return value&^key != 0
}

// madeByCall reports whether the object v is allocated by calls in this function, without
// input from mutable memory: h := sha256.New().
func (p *Summaries) madeByCall(f *Body, v ssa.Value) bool {
	for _, w := range p.slice(f).Back(v) {
		switch w.(type) {
		case *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.FieldAddr, *ssa.UnOp, *ssa.Lookup:
			return false
		}
	}
	return true
}

// ofKey reports whether the key that e writes under depends on v.
func (p *Summaries) ofKey(f *Body, e *Event, v ssa.Value) bool {
	return len(e.Inputs) > 1 && p.slice(f).Back(e.Inputs[1:]...).Has(v)
}

// markOwned sets the trait Owned of a read if its critical section writes the location
// afterwards, or has made a relative update before: a reservation with a test after it. A
// function without operations on locks is in one critical section of its callers.
func (f *Body) markOwned() {
	for _, r := range f.Events {
		if !r.Reads() || r.Callee != nil {
			continue
		}
		if r.Writes() {
			r.Traits |= fact.Owned
			continue
		}
		for _, w := range f.Events {
			if w.Writes() && w.Loc == r.Loc && w.Ord != r.Ord && w.Base == r.Base &&
				accesspath.KeysMayMatch(r.Key, w.Key) && (SharePassage(r, w) || f.plain(r, w)) &&
				(f.Paths().Reaches(r.Instr, w.Instr) || w.Delta() && f.Paths().Reaches(w.Instr, r.Instr)) {
				r.Traits |= fact.Owned
				break
			}
		}
	}
}
