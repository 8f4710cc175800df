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
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// call adds the accesses of a call: those of builtins and of atomic operations, and those
// in the summary of the callee.
func (c *collector) call(instr ssa.CallInstruction) {
	common := instr.Common()
	if name := ssautil.Builtin(common); name != "" {
		c.builtin(name, common.Args)
		return
	}
	c.cancellation(instr)
	for _, callee := range c.p.Callees(c.f, common) {
		callee.Site, _ = instr.(*ssa.Call)
		if callee.Obj != nil && c.syncCall(callee.Obj, callee.Args, instr) {
			continue
		}
		sum := c.p.SummaryOf(callee)
		if sum == nil {
			c.container(callee, instr)
			continue
		}
		if callee.Closure != nil && !callee.IsCaptured() && callee.Fn != nil && callee.Via == nil &&
			callee.Fn.Fn.Signature.Params().Len()+callee.Fn.Fn.Signature.Results().Len() == 0 {
			// A literal without parameters that is called where it is defined is inlined,
			// so that data flow through captured variables is followed.
			c.literal(callee, sum, instr, nil)
			continue
		}
		c.calleeEvents(callee, sum, instr)
	}
}

// syncCall adds the access of an operation of sync/atomic or sync.Map. It reports whether
// obj is one of the functions with built-in meaning.
func (c *collector) syncCall(obj *types.Func, args []ssa.Value, instr ssa.CallInstruction) bool {
	if !stdlib.Declares(obj).Listed {
		return false
	}
	known := stdlib.OfFunc(obj)
	if known.Runs == stdlib.Once {
		c.once(args, instr)
	}
	if known.Access == 0 || len(args) == 0 {
		return true
	}
	ref := c.f.Res.Resolve(args[0])
	if ref.Loc == "" {
		return true
	}
	e := &Event{Ref: ref}
	rest := args[1:]
	keyed := known.Access&stdlib.Keyed != 0
	switch {
	case keyed:
		e.Key = e.Key.Then(c.f.Res.Key(rest[0]))
		rest = rest[1:]
	case known.Access&stdlib.Whole != 0:
		e.Key = accesspath.AnyKey
	}
	e.Op, e.replaces = opOf(known.Access), known.Access&stdlib.Replaces != 0
	if v, ok := instr.(*ssa.Call); ok && e.Reads() {
		e.Values = ssautil.Results(v)
	}
	if e.Writes() && len(rest) > 0 {
		e.Inputs = rest[len(rest)-1:] // CompareAndSwap does not store the value that it expects
		if keyed && e.Op == fact.Write {
			e.Inputs = []ssa.Value{rest[0], args[1]} // as in m[k] = v
		}
		if text, ok := ssautil.ConstText(rest[len(rest)-1]); ok && (!e.Reads() || known.Access&stdlib.Replaces != 0) {
			e.Op |= fact.Fixed
			e.Const = text
		}
	}
	e.Holds = []Hold{{
		Guard:  lockset.Atomic(ref.Path, ref.Loc),
		Sites:  []int{c.ord},
		Inner:  true,
		Region: c.next(),
	}}
	c.add(e)
	if known.Runs == stdlib.Each && len(args) == 2 {
		element := accesspath.Param(0).Index(accesspath.AnyKey)
		c.literals(callgraph.Callee{Args: args}, fact.ParamCall{Param: 1, Args: []accesspath.Path{accesspath.Unknown, element}}, instr, nil)
	}
	return true
}

// opOf returns the operations of a listed access.
func opOf(a stdlib.Access) fact.Op {
	var op fact.Op
	for _, x := range [...]struct {
		listed stdlib.Access
		op     fact.Op
	}{{stdlib.Reads, fact.Read}, {stdlib.Writes, fact.Write}, {stdlib.Compares, fact.Compare}, {stdlib.Deletes, fact.Delete}, {stdlib.Fixed, fact.Fixed}} {
		if a&x.listed != 0 {
			op |= x.op
		}
	}
	return op
}

// literals adds the accesses of the function that is an argument of a call, which the callee
// calls in the given critical sections.
func (c *collector) literals(of callgraph.Callee, call fact.ParamCall, instr ssa.CallInstruction, under []Hold) {
	for _, lit := range c.p.Argument(c.f.Node, of, call.Param) {
		if s := c.p.SummaryOf(lit); s != nil {
			if given := c.p.given(c.f, of, call.Args); len(given) > 0 {
				lit.Given = slices.Concat(make([]accesspath.Path, len(lit.Args)), given) // behind the receiver of a method value
			}
			c.literal(lit, s, instr, under)
			if lit.Fn == nil || lit.Closure == nil {
				c.returns(of, call.Param, instr, s)
			}
		}
	}
}

// returns gives the reads of a function that was just added the result of the call that it is an argument of, if
// the callee returns what the function returns.
//
//	st := s.locked(s.peek)
func (c *collector) returns(of callgraph.Callee, param int, instr ssa.CallInstruction, sum *fact.FuncSummary) {
	call, ok := instr.(*ssa.Call)
	if !ok || of.Fn == nil || len(sum.Results) != 1 || !ssautil.ReturnsCallOf(of.Fn.Fn, param) {
		return
	}
	for _, e := range c.f.Events {
		if e.Instr == instr && e.Callee == sum && slices.Contains(sum.Results[0].Reads, e.Index) {
			e.Values = append(e.Values, call)
		}
	}
}

func (c *collector) next() InnerPassage {
	c.inner++
	return InnerPassage{number: c.inner}
}

// once adds the accesses of the function argument of a sync.Once.
func (c *collector) once(args []ssa.Value, instr ssa.CallInstruction) {
	if len(args) != 2 {
		return
	}
	ref := c.f.Res.Resolve(args[0])
	hold := Hold{
		Guard:  lockset.Guard{Path: ref.Path, Class: ref.Loc, Mode: lockset.Once},
		Sites:  []int{c.ord},
		Inner:  true,
		Region: c.next(),
	}
	c.literals(callgraph.Callee{Args: args}, fact.ParamCall{Param: 1}, instr, []Hold{hold})
}

// container adds the read of a field that contains, by value, an object of another
// package's type, or of the memory that a parameter refers to, at a call of a method of that
// object.
func (c *collector) container(callee callgraph.Callee, instr ssa.CallInstruction) {
	if callee.Obj == nil || callee.Obj.Signature().Recv() == nil || len(callee.Args) == 0 {
		return
	}
	v, isCall := instr.(*ssa.Call)
	if !isCall {
		return
	}
	switch callee.Args[0].(type) {
	case *ssa.FieldAddr, *ssa.Parameter:
	default:
		return
	}
	if ref, ok := c.address(callee.Args[0]); ok {
		c.add(&Event{Op: fact.Read | fact.Content, Ref: ref, Values: ssautil.Results(v)})
	}
}

// calleeEvents adds the accesses in the summary of a callee.
func (c *collector) calleeEvents(callee callgraph.Callee, sum *fact.FuncSummary, instr ssa.CallInstruction) {
	holds := c.innerHolds(callee, sum)
	v, _ := instr.(*ssa.Call)
	foreign := callee.Fn == nil
	for i := range sum.Accesses {
		a := &sum.Accesses[i]
		if !c.matters(callee, a) {
			continue
		}
		e := c.access(callee, a, holds)
		if e.Loc == "" || !e.switched(c.f, callee.Args, a) {
			continue
		}
		e.Callee, e.Index = sum, i
		if v != nil {
			for r := range sum.Results {
				if slices.Contains(sum.Results[r].Reads, i) {
					if x := ssautil.Result(v, r); x != nil {
						e.Values = append(e.Values, x)
					}
				}
			}
		}
		e.leaves(sum, callee.Args)
		if foreign && e.Pos.Pos == token.NoPos {
			e.Pos.Pos = ssautil.Pos(c.instr)
		}
		c.add(e)
	}
	if foreign && sum.Mutates != 0 {
		c.mutations(callee, sum, v)
	} else if foreign {
		c.container(callee, instr)
	}
	for _, pc := range sum.Calls {
		if pc.Kind != fact.Called {
			continue
		}
		var under []Hold
		for i := range sum.Regions {
			if pc.Regions&(1<<i) != 0 {
				under = append(under, holds[i])
			}
		}
		c.literals(callee, pc, instr, under)
	}
}

// matters reports whether an access of a callee is of use in f: the object has a path here,
// or it is a write with a lock of f held, which is evidence of what that lock guards.
func (c *collector) matters(callee callgraph.Callee, a *fact.Access) bool {
	return !c.isRemote(a) && (c.p.Translate(c.f, callee, a.Base) != accesspath.Unknown || a.Op&fact.Write != 0 && len(c.st.Held) > 0)
}

// isRemote reports whether an access is made many calls away from a test, in a critical section of the
// callees. A test goes through much of the program, and what is said of such an access is said of the callee,
// too; one without a lock is evidence of what the tests know of it.
func (c *collector) isRemote(a *fact.Access) bool {
	return c.f.Test && a.Regions != 0 && a.Calls >= limit.TestCalls
}

// innerHolds returns a hold for each critical section in the summary of a callee.
func (c *collector) innerHolds(callee callgraph.Callee, sum *fact.FuncSummary) []Hold {
	holds := make([]Hold, len(sum.Regions))
	for i, r := range sum.Regions {
		g := c.p.TranslateGuard(c.f, callee, r.Guard)
		holds[i] = Hold{Guard: g, Sites: []int{c.ord}, Inner: !r.Open, Region: c.next(), entry: r.Entry}
		if r.Open {
			holds[i].Region = InnerPassage{} // the call begins the critical section
		}
		if c.p.isCycle(c.f, callee) {
			holds[i].origin = r.Pos.Text
		}
	}
	return holds
}

// access translates one access of a callee.
func (c *collector) access(callee callgraph.Callee, a *fact.Access, holds []Hold) *Event {
	e := &Event{Op: a.Op, Traits: a.Traits, Const: a.Const}
	if callee.Moves {
		e.Traits &^= fact.Raising
	}
	e.Loc = a.Loc
	e.Base = c.p.Translate(c.f, callee, a.Base)
	e.Key = c.p.TranslateKey(c.f, callee, a.Key)
	c.p.bind(c.f, callee, a.Base, &e.Ref)
	e.Path = e.Loc.Of(e.Base)
	for i := range holds {
		if a.Regions&(1<<i) != 0 && holds[i].Path != accesspath.Unknown {
			e.Holds = append(e.Holds, holds[i])
		}
	}
	for i, arg := range callee.Args {
		if i < fact.MaxParams && a.DataParams&(1<<i) != 0 {
			e.Inputs = append(e.Inputs, arg)
		}
		if i < fact.MaxParams && a.ControlParams&(1<<i) != 0 {
			e.Conditions = append(e.Conditions, arg)
		}
		if i < fact.MaxParams && a.AddedParams&(1<<i) != 0 {
			e.Added = append(e.Added, arg)
		}
	}
	e.Inputs = valuesFirst(e.Inputs, callee, a.Key)
	if a.Traits.Has(fact.Passed) {
		e.setPassed(a.DataParams)
	}
	if callee.Fn != nil {
		e.Pos = fact.Pos{Pos: ssautil.Pos(c.instr), Text: a.Pos.Text}
	}
	return e
}

// valuesFirst moves the arguments that are the key of a write behind those that its value depends on, in the
// order of m[k] = v.
//
//	c.put(key, value)
func valuesFirst(inputs []ssa.Value, callee callgraph.Callee, key accesspath.Key) []ssa.Value {
	isKey := func(v ssa.Value) bool {
		i := slices.Index(callee.Args, v)
		return i >= 0 && key == accesspath.PathKey(accesspath.Param(i))
	}
	return slices.Concat(slices.DeleteFunc(slices.Clone(inputs), isKey), slices.DeleteFunc(inputs, func(v ssa.Value) bool { return !isKey(v) }))
}

// mutations adds the writes of a callee of another package to the objects in locations of f
// that are its arguments.
func (c *collector) mutations(callee callgraph.Callee, sum *fact.FuncSummary, v *ssa.Call) {
	for i, arg := range callee.Args {
		if i >= fact.MaxParams || sum.Mutates&(1<<i) == 0 || writesParam(sum, i) {
			continue
		}
		ref := c.f.Res.Resolve(arg)
		if ref.Loc == "" || isCellLoad(arg) {
			continue
		}
		e := &Event{Op: fact.Read | fact.Write | fact.Content, Ref: ref}
		for j, other := range callee.Args {
			if j != i {
				e.Inputs = append(e.Inputs, other)
			}
		}
		if v != nil {
			e.Values = ssautil.Results(v)
		}
		c.add(e)
	}
}

// writesParam reports whether the writes of a summary to the memory of parameter i are known
// one by one.
func writesParam(sum *fact.FuncSummary, i int) bool {
	return slices.ContainsFunc(sum.Accesses, func(a fact.Access) bool {
		return a.Loc.IsParam() && a.Base == accesspath.Param(i) && a.Op&fact.Write != 0
	})
}

// isCellLoad reports whether v is a load of a local variable.
func isCellLoad(v ssa.Value) bool {
	l, ok := v.(*ssa.UnOp)
	return ok && depgraph.IsVariable(l.X)
}

// literal adds the accesses of a function literal that a callee calls. The literal is
// inlined: its values stay those in its body, and slices follow them into captured
// variables.
func (c *collector) literal(lit callgraph.Callee, sum *fact.FuncSummary, instr ssa.CallInstruction, under []Hold) {
	own := c.innerHolds(lit, sum)
	if lit.Fn == nil || lit.Closure == nil && lit.Fn.Fn.Parent() == nil {
		for i := range sum.Accesses {
			if c.isRemote(&sum.Accesses[i]) {
				continue
			}
			e := c.access(lit, &sum.Accesses[i], own)
			e.Holds = append(slices.Clone(under), e.Holds...)
			e.Callee, e.Index = sum, i
			c.add(e)
		}
		return
	}
	for _, inner := range c.p.of(lit.Fn).Events {
		e := *inner
		e.Within = inner
		e.Base = c.p.Translate(c.f, lit, inner.Base)
		e.Path = c.p.Translate(c.f, lit, inner.Path)
		e.Key = c.p.TranslateKey(c.f, lit, inner.Key)
		c.p.bind(c.f, lit, inner.Base, &e.Ref)
		e.Data, e.Control = nil, nil
		e.Holds = slices.Clone(under)
		for _, h := range inner.Holds {
			h.Guard = c.p.TranslateGuard(c.f, lit, h.Guard)
			if h.Path != accesspath.Unknown {
				// Critical sections inside the literal are distinguished by their sites
				// there.
				h.entry = len(h.Sites) == 1 && h.Sites[0] == lockset.Entry
				h.Region = h.Region.inLiteral(h.Sites[0])
				h.Sites, h.Inner = []int{c.ord}, true
				e.Holds = append(e.Holds, h)
			}
		}
		c.add(&e)
	}
}
