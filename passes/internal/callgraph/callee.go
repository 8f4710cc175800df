package callgraph

import (
	"go/token"
	"go/types"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"golang.org/x/tools/go/ssa"
)

// A Callee is one function that a call may run.
type Callee struct {
	Fn  *Node             // of this package, or nil
	Sum *fact.FuncSummary // what is known of it, may be nil
	Obj *types.Func       // nil for literals
	// Args are the values that the callee's parameters have, receiver first.
	Args []ssa.Value
	// Closure is the literal that is called, if it is one.
	Closure *ssa.MakeClosure
	// Via is how the caller got the closure, if another function has made it.
	Via *handover
	// May says that the call may run another function instead.
	May bool
}

// A handover is a call that returns a closure: unlock := l.lock(key). The bindings of the
// closure are in the terms of its maker, whose arguments are those of the call.
type handover struct {
	Maker   *Node
	Closure *ssa.MakeClosure
	Call    *ssa.Call
}

// Resolve finds the functions that a call made by f may run. An unknown callee yields
// none: it neither locks nor unlocks. If f is nil, closures that calls return are not
// followed.
func (p *Graph) Resolve(f *Node, c *ssa.CallCommon) []Callee {
	if c.IsInvoke() {
		return p.implementations(c)
	}
	switch v := c.Value.(type) {
	case *ssa.Builtin:
		return nil
	case *ssa.Function:
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
	return nil
}

// Static resolves a call of a known function.
func (p *Graph) Static(fn *ssa.Function, args []ssa.Value, mc *ssa.MakeClosure) []Callee {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	c := Callee{Args: args, Closure: mc}
	if f := p.ByFn[fn]; f != nil {
		c.Fn = f
		c.Obj, _ = fn.Object().(*types.Func)
		return []Callee{c}
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return nil
	}
	obj = obj.Origin()
	c.Obj = obj
	if mc != nil && len(mc.Bindings) == 1 && len(fn.FreeVars) == 1 {
		// A method value: the receiver is bound.
		c.Args = append([]ssa.Value{mc.Bindings[0]}, args...)
		c.Closure = nil
	}
	if f := p.byObj[obj]; f != nil {
		c.Fn = f
		return []Callee{c}
	}
	if obj.Pkg() == nil || obj.Pkg() == p.Pkg {
		return nil
	}
	c.Sum = p.Foreign.Function(obj)
	return []Callee{c}
}

// FuncValue traces a function value to the one function it can be: a literal
// held in a variable, or one that a function of this package returns.
func (p *Graph) FuncValue(f *Node, v ssa.Value) (*ssa.Function, *ssa.MakeClosure, *handover) {
	for range 8 {
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
			// The literal's free variables mean nothing here.
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
		case *ssa.Call:
			return p.returned(f, x)
		default:
			return nil, nil, nil
		}
	}
	return nil, nil, nil
}

// returned finds the literal that the callee of a call returns, with a
// translation of its bindings: unlock := l.lock(key).
func (p *Graph) returned(f *Node, c *ssa.Call) (*ssa.Function, *ssa.MakeClosure, *handover) {
	if f == nil {
		return nil, nil, nil
	}
	static := c.Call.StaticCallee()
	if static == nil {
		return nil, nil, nil
	}
	if static.Origin() != nil {
		static = static.Origin()
	}
	g := p.ByFn[static]
	if g == nil || g == f {
		return nil, nil, nil
	}
	var mc *ssa.MakeClosure
	for _, b := range g.Fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || len(ret.Results) != 1 {
			continue
		}
		m, ok := ret.Results[0].(*ssa.MakeClosure)
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

// Argument returns the function that argument i of a call is, if known.
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
