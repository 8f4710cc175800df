package funcsum

import (
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// slice returns the slicer of f, which follows results of calls by summaries.
func (p *Summaries) slice(f *Body) *depgraph.Slicer {
	if f.slicer == nil {
		f.slicer = &depgraph.Slicer{
			Control: p.control,
			Result:  func(c *ssa.Call, i int) ([]ssa.Value, bool) { return p.resultOperands(f, c, i) },
			Stored:  func(l *ssa.UnOp) ssa.Value { return storedBefore(f, l) },
			Exceeds: func() { p.Limits.Add(callgraph.Name(f.Fn), "SliceValues") },
			Shared:  func(addr ssa.Value) bool { return p.isShared(f, addr) },
			Fills:   func(c *ssa.CallCommon, v ssa.Value) bool { return fills(c, v, limit.FillDepth) },
		}
	}
	return f.slicer
}

// fills reports whether a call writes through its argument v, by itself or in a callee that hands it on.
//
//	func decode(r io.Reader, v any) error { return json.NewDecoder(r).Decode(v) }
func fills(c *ssa.CallCommon, v ssa.Value, depth int) bool {
	if OfLibrary(c).Fills {
		return true
	}
	fn := c.StaticCallee()
	i := slices.Index(c.Args, v)
	if fn == nil || depth == 0 || i < 0 || i >= len(fn.Params) {
		return false
	}
	return slices.ContainsFunc(ssautil.Uses(fn.Params[i]), func(use ssa.Instruction) bool {
		inner, ok := use.(*ssa.Call)
		return ok && fills(&inner.Call, fn.Params[i], depth-1)
	})
}

// isShared reports whether the memory at addr is shared and changes.
func (p *Summaries) isShared(f *Body, addr ssa.Value) bool {
	if v, ok := addr.(*ssa.FreeVar); ok {
		return f.Res.Resolve(v).Loc.IsVariable()
	}
	return accesspath.LocationOf(addr) != "" && p.Mutable(addr) && !p.isOwnCopy(f, addr) && !isOfAnswer(addr)
}

// isOfAnswer reports whether addr is a field of what a call has returned, of a type of a package that asks what is not in the
// program: the object is the answer to what was asked, and belongs to f.
//
//	res, err := c.http.Do(req)
//	json.NewDecoder(res.Body).Decode(&t)
//
// When something comes through a channel of the object says nothing of that.
func isOfAnswer(addr ssa.Value) bool {
	a, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	if _, channel := ssautil.Deref(a.Type()).Underlying().(*types.Chan); channel {
		return false
	}
	v := a.X
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	_, returned := v.(*ssa.Call)
	n := ssautil.Named(a.X.Type())
	return returned && n != nil && n.Obj().Pkg() != nil && stdlib.OfPackage(n.Obj().Pkg().Path()).Outside
}

// isOwnCopy reports whether addr is in a struct that is a variable of f, or that f has made and
// not published: what it holds is what f has stored there, such as a copy of a shared struct.
//
//	p := s.product(id)
//	if p.stock < n { … }
func (p *Summaries) isOwnCopy(f *Body, addr ssa.Value) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
			continue
		case *ssa.Alloc:
			if !a.Heap {
				return true
			}
			_, published := p.Publications(f)[f.Res.Resolve(a).Path]
			return !published && a.Parent() == f.Fn
		}
		return false
	}
}

// storedBefore returns the value that is stored to the location of a load earlier in its
// block, without a write in between that could change it:
//
//	s.seen = v
//	return s.seen
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

// slicerWithout returns a plain slicer for f that does not follow the opaque results of
// calls to their arguments.
func (p *Summaries) slicerWithout(f *Body, opaque func(call *ssa.Call, result int) bool) *depgraph.Slicer {
	result := p.slice(f).Result
	s := p.slicerWith(f, func(c *ssa.Call, i int) ([]ssa.Value, bool) {
		if opaque(c, i) {
			return nil, true
		}
		return result(c, i)
	})
	s.Plain = true
	return s
}

// slicerWith returns a slicer for f with other operands of results of calls.
func (p *Summaries) slicerWith(f *Body, result func(c *ssa.Call, i int) ([]ssa.Value, bool)) *depgraph.Slicer {
	s := *p.slice(f)
	s.Result = result
	return s.Fresh()
}

// IsFailure reports whether a condition depends on the given values only through the error
// results of calls that have them as arguments.
func (f *Body) IsFailure(cond ssa.Value, values []ssa.Value) bool {
	return f.isFailure(cond, values, func(*ssa.Call) bool { return true })
}

// IsOutsideFailure is IsFailure for calls of functions that the package does not have: they write or
// send what they are given. One that the package has may check it.
func (f *Body) IsOutsideFailure(cond ssa.Value, values []ssa.Value) bool {
	return f.isFailure(cond, values, func(c *ssa.Call) bool {
		return !slices.ContainsFunc(f.in.Callees(f, &c.Call), func(callee callgraph.Callee) bool { return callee.Fn != nil })
	})
}

// OnlyThroughCalls reports whether a condition depends on the given values only through the results of
// calls that have them as arguments: they are not compared.
func (f *Body) OnlyThroughCalls(cond ssa.Value, values []ssa.Value) bool {
	return f.onlyThrough(cond, values, func(*ssa.Call, int) bool { return true })
}

func (f *Body) isFailure(cond ssa.Value, values []ssa.Value, of func(*ssa.Call) bool) bool {
	return f.onlyThrough(cond, values, func(c *ssa.Call, i int) bool { return isFailureOf(c, i) && of(c) })
}

// onlyThrough reports whether a condition depends on the given values, and only through certain results
// of calls.
func (f *Body) onlyThrough(cond ssa.Value, values []ssa.Value, result func(c *ssa.Call, i int) bool) bool {
	without := f.in.slicerWithout(f, result)
	if without.Back(cond).HasAny(values) {
		return false
	}
	// What does not have the values with the errors either has them by a decision.
	with := f.in.slicerWithout(f, func(*ssa.Call, int) bool { return false })
	return with.Back(cond).HasAny(values)
}

// Determining returns the values that v depends on, in f, also in so far as a call fails that is given them.
func (f *Body) Determining(v ssa.Value) depgraph.Slice {
	if f.determiner == nil {
		f.determiner = f.in.slicerWith(f, func(c *ssa.Call, i int) ([]ssa.Value, bool) {
			if isFailureOf(c, i) {
				return nil, false // of all arguments
			}
			return f.in.resultOperands(f, c, i)
		})
	}
	return f.determiner.Back(v)
}

// isFailureOf reports whether result i of a call is an error.
func isFailureOf(c *ssa.Call, i int) bool {
	results := c.Call.Signature().Results()
	return i < results.Len() && ssautil.IsError(results.At(i).Type())
}

// resultOperands returns the arguments that result i of a call depends on, and false if the
// callee has no summary. The error of an operation that fails says nothing of what the operation was given, unless
// a function of the package makes the error, or it is a verdict.
//
//	if err := os.Truncate(s.path, s.size); err != nil { return err } // no look at s.size
func (p *Summaries) resultOperands(f *Body, c *ssa.Call, i int) ([]ssa.Value, bool) {
	cs := p.Callees(f, &c.Call)
	isErr := isFailureOf(c, i)
	if len(cs) == 0 {
		return nil, isErr
	}
	var out []ssa.Value
	for _, callee := range cs {
		if isErr && callee.Fn == nil && (stdlib.Declares(callee.Obj).Outside || callee.Sum != nil && i < len(callee.Sum.Results) && !callee.Sum.Results[i].Verdict) {
			continue
		}
		s := p.SummaryOf(callee)
		if s == nil || i >= len(s.Results) || callee.Fn == nil && comesThroughMemory(callee, s.Results[i]) {
			return nil, false
		}
		for j, a := range callee.Args {
			if j >= fact.MaxParams || s.Results[i].Params&(1<<j) != 0 {
				out = append(out, a)
				out = append(out, p.resultsOfArgument(f, callee, s, j)...)
			}
		}
		out = append(out, callee.Bindings()...)
	}
	return out, true
}

// resultsOfArgument returns what the literal that is argument i of a call returns, if the callee calls it.
//
//	n := s.locked(func() int { return s.n })
func (p *Summaries) resultsOfArgument(f *Body, callee callgraph.Callee, sum *fact.FuncSummary, i int) []ssa.Value {
	if !slices.ContainsFunc(sum.Calls, func(c fact.ParamCall) bool { return c.Param == i && c.Kind == fact.Called }) {
		return nil
	}
	var out []ssa.Value
	for _, lit := range p.Argument(f.Node, callee, i) {
		if lit.Fn == nil || lit.Fn.Fn.Parent() == nil {
			continue
		}
		for _, ret := range ssautil.Returns(lit.Fn.Fn) {
			for k := range ret.Results {
				out = append(out, ssautil.Returned(ret, k))
			}
		}
	}
	return out
}

// comesThroughMemory reports whether a result of a function of another package, though it depends on none of the arguments
// by itself, has to come from them: it is a slice of what the function has written them to.
//
//	json.Marshal(v) // e := newEncodeState(); e.marshal(v); return append([]byte(nil), e.Bytes()...)
func comesThroughMemory(c callgraph.Callee, r fact.Result) bool {
	if c.Obj == nil || r.Params != 0 {
		return false
	}
	sig := c.Obj.Signature()
	if sig.Recv() != nil {
		return false
	}
	return slices.ContainsFunc(c.Args, func(v ssa.Value) bool {
		t, ok := v.Type().Underlying().(*types.Interface)
		return ok && t.Empty()
	})
}

// A valueIndex maps values to the reads that yield them, as indexes into Body.Events.
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

// events returns the sorted indexes of the reads of f whose values, or a used part of them, are in
// the slice.
func (x valueIndex) events(f *Body, s depgraph.Slice) []int {
	if len(x) == 0 {
		return nil
	}
	var out []int
	for _, v := range s {
		for _, i := range x[v] {
			if usesPart(s, f.Events[i]) {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// params returns the bit set of the parameters of f in a slice.
func (f *Body) params(s depgraph.Slice) uint32 {
	var set uint32
	for i, prm := range f.Fn.Params {
		if i < fact.MaxParams && s.Has(prm) {
			set |= 1 << i
		}
	}
	return set
}

// Slice returns the values that v depends on, in f.
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

// Conditions returns the conditions that an access is control dependent on: of branches in
// f, and in the callee as far as they depend on its parameters.
func (f *Body) Conditions(e *Event) []ssa.Value {
	return append(slices.Clip(e.Conditions), f.OwnConditions(e)...)
}

// OwnConditions returns those of the conditions that are of branches in f.
func (f *Body) OwnConditions(e *Event) []ssa.Value {
	var out []ssa.Value
	for at := e; at != nil; at = at.Within {
		deciding := f.in.control(at.Instr.Parent()).Deciding(at.Instr.Block())
		out = slices.Grow(out, len(deciding))
		for _, br := range deciding {
			out = append(out, br.Cond)
		}
	}
	return out
}

// Branches returns the branches that an access is control dependent on, in the function of
// its instruction.
func (f *Body) Branches(e *Event) []*ssa.If {
	return f.Deciding(e.Instr.Block())
}

// Deciding returns the branches that a block is control dependent on, in its function.
func (f *Body) Deciding(b *ssa.BasicBlock) []*ssa.If {
	return f.in.control(b.Parent()).Deciding(b)
}

// DirectBranches returns the branches that b is directly control dependent on, without
// another branch in between.
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

// IsWaitedFor reports whether an access comes after the exit of a loop that e decides about, and in which e is made again.
//
//	for s.state == building { s.cond.Wait() }
func (f *Body) IsWaitedFor(e, act *Event) bool {
	for br := range f.BranchesOn(e.Values) {
		if !f.Order().Flows(br, e.Instr) {
			continue // it does not look again
		}
		for _, exit := range br.Block().Succs {
			if len(exit.Preds) == 1 && exit.Dominates(act.Instr.Block()) {
				return true
			}
		}
	}
	return false
}

// DecidesBranch reports whether the condition of some branch of f depends on one of the values.
func (f *Body) DecidesBranch(values []ssa.Value) bool {
	for range f.BranchesOn(values) {
		return true
	}
	return false
}

// LeadsTo reports whether b is directly control dependent on a branch on the value that r
// reads.
func (f *Body) LeadsTo(r *Event, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(f.DirectBranches(b), func(br *ssa.If) bool { return f.Slice(br.Cond).HasAny(r.Values) })
}

// Decides reports whether b is control dependent on a branch on the value that r reads.
func (f *Body) Decides(r *Event, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(f.in.control(b.Parent()).Deciding(b), func(br *ssa.If) bool { return f.Slice(br.Cond).HasAny(r.Values) })
}

// DecidedBy reports whether b is control dependent on one of the given conditions.
func (f *Body) DecidedBy(b *ssa.BasicBlock, conds map[ssa.Value]bool) bool {
	for _, br := range f.in.control(b.Parent()).Deciding(b) {
		if conds[br.Cond] {
			return true
		}
	}
	return false
}

// Uses reports whether an operand of an instruction is computed from one of the values.
func (f *Body) Uses(instr ssa.Instruction, values []ssa.Value) bool {
	var operands [10]*ssa.Value
	return slices.ContainsFunc(instr.Operands(operands[:0]), func(v *ssa.Value) bool {
		return *v != nil && f.Slice(*v).HasAny(values)
	})
}
