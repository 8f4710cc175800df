package summary

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
)

// A callee is one function that a call may run.
type callee struct {
	fn  *GraphFunc   // of this package, or nil
	sum *FuncSummary // what is known of it, may be nil
	obj *types.Func  // nil for literals
	// args are the values that the callee's parameters have, receiver first.
	args []ssa.Value
	// closure is the literal that is called, if it is one.
	closure *ssa.MakeClosure
	// via is how the caller got the closure, if another function has made it.
	via *handover
	// may says that the call may run another function instead.
	may bool
}

// A handover is a call that returns a closure: unlock := l.lock(key). The bindings of the
// closure are in the terms of its maker, whose arguments are those of the call.
type handover struct {
	maker   *GraphFunc
	closure *ssa.MakeClosure
	call    *ssa.Call
}

// resolve finds the functions that a call made by f may run. An unknown callee yields
// none: it neither locks nor unlocks. If f is nil, closures that calls return are not
// followed.
func (p *GraphPackage) resolve(f *GraphFunc, c *ssa.CallCommon) []callee {
	if c.IsInvoke() {
		return p.implementations(c)
	}
	switch v := c.Value.(type) {
	case *ssa.Builtin:
		return nil
	case *ssa.Function:
		return p.static(v, c.Args, nil)
	case *ssa.MakeClosure:
		return p.static(v.Fn.(*ssa.Function), c.Args, v)
	}
	if cs := p.fieldCallees(c); cs != nil {
		return cs
	}
	if fn, mc, via := p.funcValue(f, c.Value); fn != nil {
		cs := p.static(fn, c.Args, mc)
		for i := range cs {
			cs[i].via = via
		}
		return cs
	}
	return nil
}

// static resolves a call of a known function.
func (p *GraphPackage) static(fn *ssa.Function, args []ssa.Value, mc *ssa.MakeClosure) []callee {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	c := callee{args: args, closure: mc}
	if f := p.byFn[fn]; f != nil {
		c.fn = f
		c.obj, _ = fn.Object().(*types.Func)
		return []callee{c}
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return nil
	}
	obj = obj.Origin()
	c.obj = obj
	if mc != nil && len(mc.Bindings) == 1 && len(fn.FreeVars) == 1 {
		// A method value: the receiver is bound.
		c.args = append([]ssa.Value{mc.Bindings[0]}, args...)
		c.closure = nil
	}
	if f := p.byObj[obj]; f != nil {
		c.fn = f
		return []callee{c}
	}
	if obj.Pkg() == nil || obj.Pkg() == p.Pkg {
		return nil
	}
	c.sum = p.foreign.function(obj)
	return []callee{c}
}

// funcValue traces a function value to the one function it can be: a literal
// held in a variable, or one that a function of this package returns.
func (p *GraphPackage) funcValue(f *GraphFunc, v ssa.Value) (*ssa.Function, *ssa.MakeClosure, *handover) {
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
			fn, mc, _ := p.funcValue(f, b)
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
func (p *GraphPackage) returned(f *GraphFunc, c *ssa.Call) (*ssa.Function, *ssa.MakeClosure, *handover) {
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
	g := p.byFn[static]
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

// argument returns the function that argument i of a call is, if known.
func (p *GraphPackage) argument(f *GraphFunc, c callee, i int) []callee {
	if i >= len(c.args) {
		return nil
	}
	fn, mc, via := p.funcValue(f, c.args[i])
	if fn == nil {
		return nil
	}
	cs := p.static(fn, nil, mc)
	for i := range cs {
		cs[i].via = via
	}
	return cs
}
