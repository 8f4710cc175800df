package funcsum

import (
	"go/token"
	"go/types"
	"iter"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"golang.org/x/tools/go/ssa"
)

// slice returns the slicer of f.
func (p *Summaries) slice(f *Body) *depgraph.Slicer {
	if f.slicer == nil {
		f.slicer = &depgraph.Slicer{
			Control: p.control,
			Result:  func(c *ssa.Call, i int) ([]ssa.Value, bool) { return p.resultOperands(f, c, i) },
			Stored:  func(l *ssa.UnOp) ssa.Value { return storedBefore(f, l) },
			Shared:  func(addr ssa.Value) bool { return accesspath.LocationOf(addr) != "" && p.Mutable(addr) },
		}
	}
	return f.slicer
}

// storedBefore returns the value that was stored in the same place before a load,
// with nothing in between that could change it: s.seen = v; return s.seen.
func storedBefore(f *Body, l *ssa.UnOp) ssa.Value {
	if _, ok := l.X.(*ssa.FieldAddr); !ok {
		return nil
	}
	instrs := l.Block().Instrs
	path := f.Res.Resolve(l.X).Path
	if path == accesspath.Unknown {
		return nil
	}
	for i := slices.Index(instrs, ssa.Instruction(l)) - 1; i >= 0; i-- {
		switch instr := instrs[i].(type) {
		case *ssa.Store:
			if f.Res.Resolve(instr.Addr).Path == path {
				return instr.Val
			}
		case ssa.CallInstruction, *ssa.Send, *ssa.Select, *ssa.MapUpdate:
			return nil
		}
	}
	return nil
}

// slicerWithout returns a plain slicer for f to which the opaque results of calls
// say nothing about their arguments.
func (p *Summaries) slicerWithout(f *Body, opaque func(call *ssa.Call, result int) bool) *depgraph.Slicer {
	s := *p.slice(f)
	result := s.Result
	s.Result = func(c *ssa.Call, i int) ([]ssa.Value, bool) {
		if opaque(c, i) {
			return nil, true
		}
		return result(c, i)
	}
	s.Plain = true
	return s.Fresh()
}

// IsFailure reports whether a condition depends on the given values only in so far
// as a call that they are given to may fail, which it tells by an error.
func (f *Body) IsFailure(cond ssa.Value, values []ssa.Value) bool {
	s := f.in.slicerWithout(f, func(c *ssa.Call, i int) bool {
		results := c.Call.Signature().Results()
		return i < results.Len() && ssautil.IsError(results.At(i).Type())
	})
	return !s.Back(cond).HasAny(values)
}

// resultOperands tells which arguments result i of a call is computed from.
func (p *Summaries) resultOperands(f *Body, c *ssa.Call, i int) ([]ssa.Value, bool) {
	cs := p.Callees(f, &c.Call)
	if len(cs) == 0 {
		return nil, false
	}
	var out []ssa.Value
	for _, callee := range cs {
		s := p.SummaryOf(callee)
		if s == nil || i >= len(s.Results) {
			return nil, false
		}
		for j, a := range callee.Args {
			if j >= fact.MaxParams || s.Results[i].Params&(1<<j) != 0 {
				out = append(out, a)
			}
		}
		if callee.Closure != nil {
			out = append(out, callee.Closure.Bindings...)
		}
	}
	return out, true
}

// A valueIndex finds the read events by the values that they yield.
type valueIndex map[ssa.Value][]int

func (f *Body) valueIndex() valueIndex {
	index := make(valueIndex)
	for i, e := range f.Events {
		if e.Reads() {
			for _, v := range e.Values {
				index[v] = append(index[v], i)
			}
		}
	}
	return index
}

// events returns the sorted events whose values are in the slice.
func (x valueIndex) events(s depgraph.Slice) []int {
	if len(x) == 0 {
		return nil
	}
	var out []int
	for _, v := range s {
		out = append(out, x[v]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// params returns the parameters of f in a slice.
func (f *Body) params(s depgraph.Slice) uint32 {
	var set uint32
	for i, prm := range f.Fn.Params {
		if i < fact.MaxParams && s.Has(prm) {
			set |= 1 << i
		}
	}
	return set
}

// Slice returns the values that v is computed from.
func (f *Body) Slice(v ssa.Value) depgraph.Slice {
	s, ok := f.slices[v]
	if !ok {
		s = f.in.slice(f).Back(v)
		if f.slices == nil {
			f.slices = make(map[ssa.Value]depgraph.Slice)
		}
		f.slices[v] = s
	}
	return s
}

// Conditions returns the conditions that decide whether an event happens, the
// callee's too as far as they depend on its parameters.
func (f *Body) Conditions(e *Event) []ssa.Value {
	out := slices.Clone(e.Conditions)
	for at := e; at != nil; at = at.Within {
		for _, br := range f.in.control(at.Instr.Parent()).Deciding(at.Instr.Block()) {
			out = append(out, br.Cond)
		}
	}
	return out
}

// Branches returns the branches that decide whether an event happens, in the
// function that it is an event of.
func (f *Body) Branches(e *Event) []*ssa.If {
	return f.in.control(e.Instr.Parent()).Deciding(e.Instr.Block())
}

// DirectBranches returns the branches that decide whether b runs without others
// in between.
func (f *Body) DirectBranches(b *ssa.BasicBlock) []*ssa.If {
	return f.in.control(b.Parent()).Direct(b)
}

// BranchesOn yields the branches of f whose condition depends on one of the values.
func (f *Body) BranchesOn(values []ssa.Value) iter.Seq[*ssa.If] {
	return func(yield func(*ssa.If) bool) {
		for br := range depgraph.Branches(f.Fn) {
			if f.Slice(br.Cond).HasAny(values) && !yield(br) {
				return
			}
		}
	}
}

// LeadsTo reports whether what r reads decides whether b runs, with no other decision
// in between: the one that r is made for.
func (f *Body) LeadsTo(r *Event, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(f.DirectBranches(b), func(br *ssa.If) bool { return f.Slice(br.Cond).HasAny(r.Values) })
}

// A source is what a value or a decision depends on in its function.
type source struct {
	events []int
	params uint32
}

// A use is the question for a source: the values used by an instruction, told
// apart by the parameters of the callee that they are arguments for.
type use struct {
	instr ssa.Instruction
	args  uint32
}

// dependencies fills in what the writes of f depend on. The accesses of one
// callee share most of it, which is why the sources are kept.
func (p *Summaries) dependencies(f *Body) {
	byValue := f.valueIndex()
	siblings := make(map[sibling]int)
	for i, e := range f.Events {
		if e.Callee != nil {
			siblings[sibling{e.Instr, e.Callee, e.Index}] = i
		}
	}
	find := func(values []ssa.Value) (source, depgraph.Slice) {
		if len(values) == 0 {
			return source{}, nil
		}
		s := p.slice(f).Back(values...)
		return source{byValue.events(s), f.params(s)}, s
	}
	inputs, decisions := make(map[use]source), make(map[use]source)
	conditions := make(map[*ssa.BasicBlock]source)
	for i, e := range f.Events {
		if !e.Writes() {
			continue
		}
		var data, control source
		var slice depgraph.Slice
		known := false
		if e.Callee != nil {
			a := &e.Callee.Accesses[e.Index]
			in, cond := use{e.Instr, a.DataParams}, use{e.Instr, a.ControlParams}
			// What a literal does that was inlined has conditions of its own.
			if data, known = inputs[in]; !known || e.Within != nil {
				data, _ = find(e.Inputs)
			}
			if control, known = decisions[cond]; !known || e.Within != nil {
				control, _ = find(f.Conditions(e))
			}
			if e.Within == nil {
				inputs[in], decisions[cond] = data, control
			}
		} else {
			data, slice = find(e.Inputs)
			block := e.Instr.Block()
			if control, known = conditions[block]; !known || e.Within != nil {
				control, _ = find(f.Conditions(e))
				if e.Within == nil {
					conditions[block] = control
				}
			}
		}
		e.Data, e.dataParams = without(slices.Clone(data.events), i), data.params
		e.Control, e.ctrlParams = without(slices.Clone(control.events), i), control.params
		if e.Callee != nil {
			a := &e.Callee.Accesses[e.Index]
			e.Data = Union(e.Data, p.siblings(siblings, e, a.Data))
			if e.asserted = asserts(e); e.asserted {
				e.Traits &^= fact.Looked
			} else {
				e.Control = Union(e.Control, p.siblings(siblings, e, a.Control))
			}
		} else if e.Within == nil {
			pure, clock := p.kind(f, e, slice)
			e.Traits = e.Traits.With(fact.Pure, pure).With(fact.Clock, clock)
			delta := e.Writes() && e.Reads() && e.Op&fact.Content == 0 && !e.replaces || f.isDelta(e)
			e.Traits = e.Traits.With(fact.Delta, delta)
			e.Added = f.added(e)
		}
		e.addedParams = p.addedParams(f, e)
		looked := slices.ContainsFunc(e.Control, func(i int) bool {
			r := f.Events[i]
			return r.Loc == e.Loc && r.Base == e.Base && accesspath.KeysMayMatch(r.Key, e.Key)
		})
		e.Traits = e.Traits.With(fact.Looked, e.Traits.Has(fact.Looked) || looked)
		e.asked = p.asked(f, e)
	}
	for _, e := range f.Events {
		e.Traits = e.Traits.With(fact.Tested, e.Tested() || f.asksPresence(e))
	}
	f.markOwned()
}

// asked reports whether an atomic operation that changes what is there tells what
// was there, and the function goes by that: if old := s.Swap(done); old == done.
func (p *Summaries) asked(f *Body, e *Event) bool {
	if !e.Reads() || e.Op&(fact.Content|fact.Compare) != 0 || !slices.ContainsFunc(e.Holds, Hold.IsAtomic) ||
		!slices.ContainsFunc(e.Values, func(v ssa.Value) bool { return len(*v.Referrers()) > 0 }) {
		return false
	}
	for br := range depgraph.Branches(f.Fn) {
		if f.Paths().Reaches(e.Instr, br) && p.slice(f).Back(br.Cond).HasAny(e.Values) {
			return true
		}
	}
	return false
}

// plain reports whether two accesses of f are outside of all regions, and f does
// nothing to locks.
func (f *Body) plain(a, b *Event) bool {
	return len(a.Holds) == 0 && len(b.Holds) == 0 && len(f.ops) == 0
}

type sibling struct {
	instr  ssa.Instruction
	callee *fact.FuncSummary
	index  int
}

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

func without(list []int, i int) []int {
	return slices.DeleteFunc(list, func(j int) bool { return j == i })
}

// kind tells whether the value that e writes is a plain one that does not come
// from shared memory, and whether it is the current time.
func (p *Summaries) kind(f *Body, e *Event, data depgraph.Slice) (pure, clock bool) {
	if e.Op&fact.Content != 0 || slices.ContainsFunc(e.Data, func(i int) bool { return len(f.Events[i].Holds) > 0 }) {
		return false, false
	}
	pure = !p.varies(f, e)
	values := e.Inputs
	if e.Key != "" && len(values) > 1 {
		values = values[:1] // the other is the key
	}
	for _, v := range values {
		if mi, ok := v.(*ssa.MakeInterface); ok {
			v = mi.X
		}
		if !isPlain(v.Type()) && !(e.Key != "" && isPlainList(v.Type())) {
			pure = false
		}
	}
	for _, v := range data {
		c, ok := v.(*ssa.Call)
		if !ok {
			continue
		}
		static := c.Call.StaticCallee()
		if static == nil {
			if _, ok := c.Call.Value.(*ssa.Builtin); !ok && !p.madeByCall(f, c.Call.Value) && !p.ofKey(f, e, c.Call.Value) {
				pure = false // who knows what it returns next time
			}
			continue
		}
		if obj, ok := static.Object().(*types.Func); ok && stdlib.OfFunc(obj).Clock {
			clock = true
		}
	}
	return pure && !clock, clock
}

// isDelta reports whether e writes a sum or difference of what is there.
func (f *Body) isDelta(e *Event) bool {
	if len(e.Inputs) == 0 {
		return false
	}
	op, ok := withoutBounds(e.Inputs[0]).(*ssa.BinOp)
	if !ok || op.Op != token.ADD && op.Op != token.SUB {
		return false
	}
	return slices.ContainsFunc(e.Data, func(i int) bool {
		r := f.Events[i]
		return r.Loc == e.Loc && r.Base == e.Base && r.Key == e.Key &&
			(slices.Contains(r.Values, op.X) || slices.Contains(r.Values, op.Y))
	})
}

// withoutBounds returns the sum or difference that v is the minimum or maximum of with
// something else, or v.
func withoutBounds(v ssa.Value) ssa.Value {
	c, ok := v.(*ssa.Call)
	if !ok {
		return v
	}
	if b, ok := c.Call.Value.(*ssa.Builtin); !ok || b.Name() != "min" && b.Name() != "max" {
		return v
	}
	for _, a := range c.Call.Args {
		if op, ok := a.(*ssa.BinOp); ok {
			return op
		}
	}
	return v
}

// varies reports whether the value that e writes depends on a parameter that the
// key it is written under does not depend on: then two callers may disagree.
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

// madeByCall reports whether the object v was made by calls in this function
// from nothing that others could change: h := sha256.New().
func (p *Summaries) madeByCall(f *Body, v ssa.Value) bool {
	for _, w := range p.slice(f).Back(v) {
		switch w.(type) {
		case *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.FieldAddr, *ssa.UnOp, *ssa.Lookup:
			return false
		}
	}
	return true
}

// ofKey reports whether the key that e writes under is computed from v.
func (p *Summaries) ofKey(f *Body, e *Event, v ssa.Value) bool {
	return len(e.Inputs) > 1 && p.slice(f).Back(e.Inputs[1:]...).Has(v)
}

// isPlainList reports whether values of type t are lists of plain values. What a cache
// keeps of that kind is made once, and only looked at.
func isPlainList(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isPlain(s.Elem())
}

// isPlain reports whether values of type t are equal if they are computed in
// the same way: that is not so for references.
func isPlain(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Struct:
		for field := range t.Fields() {
			if !isPlain(field.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return isPlain(t.Elem())
	}
	return false
}

// markOwned finds the reads whose passage writes what was read afterwards, or
// has added an amount to it before: a reservation that is then checked. A function
// that does nothing to locks is all in one passage of its callers.
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

// SharePassage reports whether a and b may lie in one passage through a guard.
func SharePassage(a, b *Event) bool {
	for _, h := range a.Holds {
		for _, g := range b.Holds {
			if h.SamePassage(g) {
				return true
			}
		}
	}
	return false
}

// Reaches reports whether control can flow from a to b.
func Reaches(a, b ssa.Instruction) bool { return cfgpath.Reaches(a, b) }

// DecidedBy reports whether one of the given conditions decides whether b runs.
func (f *Body) DecidedBy(b *ssa.BasicBlock, conds map[ssa.Value]bool) bool {
	for _, br := range f.in.control(b.Parent()).Deciding(b) {
		if conds[br.Cond] {
			return true
		}
	}
	return false
}

// Ops returns what the instructions of f do to locks.
func (f *Body) Ops() map[ssa.Instruction][]lockset.Op { return f.ops }

// Instr returns the instruction with the given ordinal, or nil.
func (f *Body) Instr(ord int) ssa.Instruction { return ssautil.At(f.Fn, ord) }
