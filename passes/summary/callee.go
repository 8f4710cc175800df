package summary

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
)

// A callee is one function that a call may run.
type callee struct {
	fn  *Func        // of this package, or nil
	sum *FuncSummary // what is known of it, may be nil
	obj *types.Func  // nil for literals
	// args are the values that the callee's parameters have, receiver first.
	args []ssa.Value
	// closure is the literal that is called, if it is one.
	closure *ssa.MakeClosure
	// via leads from the terms of the function that makes the closure to
	// those of the caller, if they differ.
	via func(accesspath.Path) accesspath.Path
	// may says that the call may run another function instead.
	may bool
}

// callees resolves a call made by f. An unknown callee yields none: it neither
// locks nor unlocks.
func (p *Package) callees(f *Func, c *ssa.CallCommon) []callee {
	if f == nil {
		return p.resolveCallees(nil, c)
	}
	cs, ok := f.callees[c]
	if !ok {
		cs = p.resolveCallees(f, c)
		if f.callees == nil {
			f.callees = make(map[*ssa.CallCommon][]callee)
		}
		f.callees[c] = cs
	}
	return cs
}

func (p *Package) resolveCallees(f *Func, c *ssa.CallCommon) []callee {
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
func (p *Package) static(fn *ssa.Function, args []ssa.Value, mc *ssa.MakeClosure) []callee {
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
	if obj.Pkg() == nil || obj.Pkg() == p.pass.Pkg {
		return nil
	}
	c.sum = p.foreign.function(obj)
	return []callee{c}
}

// funcValue traces a function value to the one function it can be: a literal
// held in a variable, or one that a function of this package returns.
func (p *Package) funcValue(f *Func, v ssa.Value) (*ssa.Function, *ssa.MakeClosure, func(accesspath.Path) accesspath.Path) {
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
func (p *Package) returned(f *Func, c *ssa.Call) (*ssa.Function, *ssa.MakeClosure, func(accesspath.Path) accesspath.Path) {
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
	p.resolver(g)
	via := func(path accesspath.Path) accesspath.Path {
		inner := path.Substitute(func(root accesspath.Path) accesspath.Path {
			if i, ok := index(root, 'f'); ok && i < len(mc.Bindings) {
				return g.Res.Resolve(mc.Bindings[i]).Path
			}
			return root
		})
		return inner.Substitute(p.roots(f, callee{args: c.Call.Args}))
	}
	return mc.Fn.(*ssa.Function), mc, via
}

// roots maps the roots of a callee's paths to paths of the caller f.
func (p *Package) roots(f *Func, c callee) func(accesspath.Path) accesspath.Path {
	return func(root accesspath.Path) accesspath.Path {
		if root.IsGlobal() {
			return root
		}
		if i, ok := index(root, 'p'); ok && i < len(c.args) {
			if _, isConst := c.args[i].(*ssa.Const); isConst {
				return accesspath.Path(f.Res.Key(c.args[i]))
			}
			return f.Res.Resolve(c.args[i]).Path
		}
		if i, ok := index(root, 'f'); ok && c.closure != nil && i < len(c.closure.Bindings) {
			return f.Res.Resolve(c.closure.Bindings[i]).Path
		}
		return accesspath.Unknown
	}
}

// translate rewrites a path of callee c in the terms of f.
func (p *Package) translate(f *Func, c callee, path accesspath.Path) accesspath.Path {
	if c.via != nil {
		return c.via(path)
	}
	return path.Substitute(p.roots(f, c))
}

func (p *Package) translateKey(f *Func, c callee, key string) string {
	if key == "" {
		return ""
	}
	if c.via != nil {
		return "*"
	}
	return accesspath.SubstituteKey(key, p.roots(f, c))
}

// index returns the number of a root of the given kind.
func index(root accesspath.Path, kind byte) (int, bool) {
	if len(root) < 2 || root[0] != kind {
		return 0, false
	}
	n := 0
	for _, d := range []byte(root[1:]) {
		if d < '0' || d > '9' || n > 1<<16 {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, true
}

func derefType(t types.Type) types.Type {
	if ptr, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}
