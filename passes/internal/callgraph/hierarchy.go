package callgraph

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An ifaceMethod is a method of an interface type, by name.
type ifaceMethod struct {
	iface  *types.Interface
	method string
}

// implementations resolves an interface call by class hierarchy analysis: the callees are
// the methods of this package's types that implement the interface. The types of imported
// packages are included if the interface is declared in this package.
func (p *Graph) implementations(c *ssa.CallCommon) []Callee {
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	key := ifaceMethod{iface, c.Method.Name()}
	found, ok := p.implementers[key]
	if !ok {
		found = p.findImplementers(iface, c.Method.Name())
		if named, ok := types.Unalias(c.Value.Type()).(*types.Named); ok && found != nil && named.Obj().Pkg() == p.Pkg {
			found = p.importedImplementers(found, iface, c.Method.Name())
		}
		p.implementers[key] = found
	}
	if found == nil {
		return nil
	}
	out := make([]Callee, 0, len(found))
	for _, impl := range found {
		if impl.Fn != nil && isWrapped(c.Value, impl.Fn.Fn) {
			continue
		}
		impl.Args = append([]ssa.Value{c.Value}, c.Args...)
		out = append(out, impl)
	}
	return out
}

// isWrapped reports whether v is the object that a method wraps, and the call is in the method
// itself: a decorator wraps an object of another type. If not, as in a chain of decorators, the
// recursion ends in another type, and what it does on its way is done to other objects.
//
//	func (l *limited) Accept() (net.Conn, error) {
//		c, err := l.Listener.Accept() // not (*limited).Accept
func isWrapped(v ssa.Value, method *ssa.Function) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Parent() != method {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	return ok && len(method.Params) > 0 && field.X == method.Params[0]
}

// findImplementers returns the methods of this package that a call through iface may run,
// or nil if they are too many.
func (p *Graph) findImplementers(iface *types.Interface, method string) []Callee {
	out := []Callee{}
	for _, f := range p.methods[method] {
		if !p.implements(f.Fn.Signature.Recv().Type(), iface) {
			continue
		}
		obj, _ := f.Fn.Object().(*types.Func)
		if out = append(out, Callee{Fn: f, Obj: obj, May: true}); len(out) > limit.Implementations {
			return nil
		}
	}
	return out
}

// importedImplementers adds the methods of imported packages that have summaries.
func (p *Graph) importedImplementers(out []Callee, iface *types.Interface, method string) []Callee {
	for _, imp := range p.Pkg.Imports() {
		t := p.Foreign.Load(imp)
		if t == nil {
			continue
		}
		for _, key := range t.MethodKeys(method) {
			_, name, _ := strings.Cut(key, "#")
			name, _, _ = strings.Cut(name, ".")
			tn, ok := imp.Scope().Lookup(name).(*types.TypeName)
			if !ok || !p.implements(tn.Type(), iface) {
				continue
			}
			obj, _, _ := types.LookupFieldOrMethod(tn.Type(), true, imp, method)
			fn, ok := obj.(*types.Func)
			if !ok {
				continue
			}
			if out = append(out, Callee{Sum: p.Foreign.Function(fn), Obj: fn, May: true}); len(out) > limit.Implementations {
				return nil
			}
		}
	}
	return out
}

// A satisfaction is the question whether a type implements an interface.
type satisfaction struct {
	typ   *types.Named
	iface *types.Interface
}

// implements reports whether t, or a pointer to it, implements iface. The answer is kept: it
// takes time in the methods of both, and is the same for calls of all of them.
func (p *Graph) implements(t types.Type, iface *types.Interface) bool {
	named, ok := types.Unalias(ssautil.Deref(t)).(*types.Named)
	if !ok || named.TypeParams().Len() > 0 {
		return false
	}
	key := satisfaction{named, iface}
	holds, ok := p.satisfied[key]
	if !ok {
		holds = types.Implements(named, iface) || types.Implements(types.NewPointer(named), iface)
		p.satisfied[key] = holds
	}
	return holds
}
