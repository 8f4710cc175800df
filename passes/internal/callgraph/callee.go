package callgraph

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A Callee is a function that a call may run.
type Callee struct {
	Fn  *Node             // function of this package, or nil
	Sum *fact.FuncSummary // summary of a function of another package; may be nil
	Obj *types.Func       // declaration; nil for literals
	// Args are the arguments, the receiver first.
	Args []ssa.Value
	// Given are the paths of the arguments, in the terms of the function with the call, if another
	// function makes the call, to which the callee is handed over; empty for an unknown one.
	Given []accesspath.Path
	// Closure binds the free variables if the callee is a literal.
	Closure *ssa.MakeClosure
	// bound are the values that Closure binds, as the function with the call has them, if it is
	// another literal of the function that makes Closure.
	bound []ssa.Value
	// Moves is set if a function of the standard library makes the call, and moves elements of its first argument
	// besides. An append in heap.Push is not all that changes.
	Moves bool
	// Via is the call that returned the closure, if another function has created it.
	Via *handover
	// Site is the call, if its results are asked for, nil otherwise.
	Site *ssa.Call
	// May is set if the call may run another function instead.
	May bool
}

// Bindings returns the values that the free variables of the callee are bound to, in the terms of
// the function with the call.
func (c Callee) Bindings() []ssa.Value {
	switch {
	case c.bound != nil:
		return c.bound
	case c.Closure != nil:
		return c.Closure.Bindings
	}
	return nil
}

// IsCaptured reports whether the callee is a literal that the function with the call has captured.
func (c Callee) IsCaptured() bool { return c.bound != nil }

// A handover is a call that returns a closure. The bindings of the closure are values of
// the function that creates it, whose arguments are those of the call:
//
//	unlock := l.lock(key) // handover: Maker is lock, Closure its literal
//	defer unlock()
type handover struct {
	// Maker is the function that creates Closure, and Call the call of Maker.
	Maker   *Node
	Closure *ssa.MakeClosure
	Call    *ssa.Call
}

// Resolve returns the functions that a call in f may run, none for an unknown callee. If f
// is nil, closures returned by calls are not resolved.
func (p *Graph) Resolve(f *Node, c *ssa.CallCommon) []Callee {
	if c.IsInvoke() {
		return p.implementations(c)
	}
	switch v := c.Value.(type) {
	case *ssa.Builtin:
		return nil
	case *ssa.Function:
		if cs := p.onBehalf(v, c.Args); cs != nil {
			return cs
		}
		return p.Static(v, c.Args, nil)
	case *ssa.MakeClosure:
		return p.Static(v.Fn.(*ssa.Function), c.Args, v)
	}
	if cs := p.fieldCallees(c); cs != nil {
		return cs
	}
	if fn, mc, via := p.FuncValue(f, c.Value); fn != nil {
		cs := p.Static(fn, c.Args, mc)
		for i := range cs {
			cs[i].Via = via
		}
		return cs
	}
	return p.captured(c)
}

// onBehalf resolves a call of a function of the standard library that changes its first argument,
// an interface, by methods.
//
//	heap.Push(&q.jobs, j) // (*jobHeap).Push and (*jobHeap).Swap
func (p *Graph) onBehalf(fn *ssa.Function, args []ssa.Value) []Callee {
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return nil
	}
	names := strings.Fields(stdlib.OfFunc(obj).Calls)
	if len(names) == 0 {
		return nil
	}
	value, ok := args[0].(*ssa.MakeInterface)
	if !ok {
		return nil
	}
	var out []Callee
	for i, name := range names {
		found, _, _ := types.LookupFieldOrMethod(value.X.Type(), false, p.Pkg, name)
		method, ok := found.(*types.Func)
		if !ok || p.byObj[method.Origin()] == nil {
			return nil
		}
		c := Callee{Fn: p.byObj[method.Origin()].Target(), Obj: method.Origin(), Args: []ssa.Value{value.X}, Moves: slices.Contains(names, "Swap")}
		if params := method.Signature().Params().Len(); i == 0 && params == len(args)-1 {
			c.Args = append(c.Args, args[1:]...)
		}
		out = append(out, c)
	}
	return out
}

// captured resolves a call, in a literal, of another literal of the same function, if all
// variables that this captures are captured by the caller as well.
//
//	count := func() int { mu.Lock(); defer mu.Unlock(); return n }
//	go func() { m := count() + 1; mu.Lock(); n = m; mu.Unlock() }()
func (p *Graph) captured(c *ssa.CallCommon) []Callee {
	load, ok := c.Value.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	v, ok := load.X.(*ssa.FreeVar)
	if !ok {
		return nil
	}
	fn, mc, _ := p.FuncValue(nil, depgraph.Binding(v))
	if mc == nil || fn == v.Parent() {
		return nil
	}
	var bound []ssa.Value
	for _, b := range mc.Bindings {
		i := slices.IndexFunc(v.Parent().FreeVars, func(fv *ssa.FreeVar) bool { return depgraph.Binding(fv) == b })
		if i < 0 {
			return nil
		}
		bound = append(bound, v.Parent().FreeVars[i])
	}
	out := p.Static(fn, c.Args, mc)
	for i := range out {
		out[i].bound = bound
	}
	return out
}

// Static resolves a call of fn with the given arguments. mc is the closure of fn, if there
// is one.
func (p *Graph) Static(fn *ssa.Function, args []ssa.Value, mc *ssa.MakeClosure) []Callee {
	fn = ssautil.Generic(fn)
	c := Callee{Args: args, Closure: mc}
	if f := p.Called(fn); f != nil {
		c.Fn = f
		c.Obj, _ = f.Fn.Object().(*types.Func)
		return []Callee{c}
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return nil
	}
	obj = obj.Origin()
	c.Obj = obj
	if mc != nil && len(mc.Bindings) == 1 && len(fn.FreeVars) == 1 {
		// A method value has its receiver bound.
		c.Args = append([]ssa.Value{mc.Bindings[0]}, args...)
		c.Closure = nil
	}
	if f := p.byObj[obj]; f != nil {
		c.Fn = f.Target()
		c.Obj, _ = c.Fn.Fn.Object().(*types.Func)
		return []Callee{c}
	}
	if obj.Pkg() == nil || obj.Pkg() == p.Pkg {
		return nil
	}
	c.Sum = p.Foreign.Function(obj)
	return []Callee{c}
}

// FuncValue resolves a function value that has a single definition: a function, a literal
// stored once in a variable, or one that a function of this package returns.
func (p *Graph) FuncValue(f *Node, v ssa.Value) (*ssa.Function, *ssa.MakeClosure, *handover) {
	for range limit.FuncValueSteps {
		switch x := v.(type) {
		case *ssa.Function:
			return x, nil, nil
		case *ssa.MakeClosure:
			return x.Fn.(*ssa.Function), x, nil
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.FreeVar:
			b := depgraph.Binding(x)
			if b == nil {
				return nil, nil, nil
			}
			// The bindings are values of another function than f.
			fn, mc, _ := p.FuncValue(f, b)
			if mc != nil && len(mc.Bindings) > 0 {
				return nil, nil, nil
			}
			return fn, mc, nil
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return nil, nil, nil
			}
			v = x.X
		case *ssa.Alloc:
			var stored ssa.Value
			for _, use := range *x.Referrers() {
				if st, ok := use.(*ssa.Store); ok && st.Addr == x {
					if stored != nil {
						return nil, nil, nil
					}
					stored = st.Val
				}
			}
			if stored == nil {
				return nil, nil, nil
			}
			v = stored
		case *ssa.Call, *ssa.Extract:
			return p.returned(f, x)
		default:
			return nil, nil, nil
		}
	}
	return nil, nil, nil
}

// returned resolves a result of a call whose callee returns the same literal at every
// return statement (see handover), or nil, which cannot be called.
//
//	l, unlock, err := s.acquire(id)
//	if err != nil { return err }
//	defer unlock()
func (p *Graph) returned(f *Node, v ssa.Value) (*ssa.Function, *ssa.MakeClosure, *handover) {
	c, result := ssautil.CallOf(v)
	if f == nil || c == nil {
		return nil, nil, nil
	}
	static := c.Call.StaticCallee()
	if static == nil {
		return nil, nil, nil
	}
	g := p.Called(ssautil.Generic(static))
	if g == nil || g == f {
		return nil, nil, nil
	}
	var mc *ssa.MakeClosure
	for _, ret := range ssautil.Returns(g.Fn) {
		v := ssautil.Returned(ret, result)
		if k, ok := v.(*ssa.Const); ok && k.IsNil() {
			continue
		}
		if named, ok := v.(*ssa.ChangeType); ok {
			v = named.X // iter.Seq
		}
		m, ok := v.(*ssa.MakeClosure)
		if !ok || mc != nil && mc != m {
			return nil, nil, nil
		}
		mc = m
	}
	if mc == nil {
		return nil, nil, nil
	}
	return mc.Fn.(*ssa.Function), mc, &handover{g, mc, c}
}

// Argument resolves the function value that is argument i of a call.
func (p *Graph) Argument(f *Node, c Callee, i int) []Callee {
	if i >= len(c.Args) {
		return nil
	}
	fn, mc, via := p.FuncValue(f, c.Args[i])
	if fn == nil {
		return nil
	}
	cs := p.Static(fn, nil, mc)
	for i := range cs {
		cs[i].Via = via
	}
	return cs
}
