package callgraph

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An exported method of an unexported type is called from other packages only if values of
// the type reach them: through exported declarations, or in an interface that they get (see
// outflow). All other unexported types are confined to the package, which therefore has all
// calls of their methods. Nobody imports package main, where this is so for the exported
// types, too.

// Callable reports whether code outside the package can call f by its name.
func (p *Graph) Callable(f *Node) bool {
	if !f.Exported() {
		return false
	}
	recv, program := f.Fn.Signature.Recv(), p.Pkg.Name() == "main"
	if recv == nil {
		return !program
	}
	named, ok := types.Unalias(ssautil.Deref(recv.Type())).(*types.Named)
	if !ok || named.Obj().Exported() && !program {
		return true
	}
	how := p.exposed[named.Obj()]
	return how == byName || how == byInterface && p.interfaceMethods[f.Fn.Name()]
}

// Entered reports whether code outside the package can call f, by its name or by that of a forwarder.
func (p *Graph) Entered(f *Node) bool {
	return p.Callable(f) || slices.ContainsFunc(f.forwarders, p.Callable)
}

const (
	hidden      exposing = iota
	byInterface          // in an interface: they call the methods of that, or of another one
	byName               // through exported declarations: they call all exported methods
)

// methodsOfInterfaces returns the names of the methods of all interfaces that the package
// or a package that it imports declares at package level, and of those that its values are
// converted to.
func methodsOfInterfaces(pkg *types.Package, converted []types.Type) map[string]bool {
	out := make(map[string]bool)
	note := func(t types.Type) {
		if i, ok := t.Underlying().(*types.Interface); ok {
			for m := range i.Methods() {
				out[m.Name()] = true
			}
		}
	}
	for _, t := range converted {
		note(t)
	}
	for _, p := range append(pkg.Imports(), pkg) {
		for _, name := range p.Scope().Names() {
			if tn, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
				note(tn.Type())
			}
		}
	}
	return out
}

// expose finds the types of the package whose values other packages can have. flowsOut says of
// which interface types they get values.
func (p *Graph) expose(flowsOut func(types.Type) bool) {
	p.exposed = make(map[*types.TypeName]exposing)
	scope := p.Pkg.Scope()
	declared := exposure{pkg: p.Pkg, names: p.exposed, how: byName, seen: make(map[types.Type]bool)}
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() && p.Pkg.Name() != "main" {
			declared.add(obj.Type())
		}
	}
	values := exposure{pkg: p.Pkg, names: p.exposed, how: byInterface, seen: declared.seen}
	var converted []types.Type
	for _, f := range p.Funcs {
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				if mi, ok := instr.(*ssa.MakeInterface); ok && flowsOut(mi.Type()) {
					values.add(mi.X.Type())
					converted = append(converted, mi.Type())
				}
			}
		}
	}
	p.interfaceMethods = methodsOfInterfaces(p.Pkg, converted)
}

// An exposure collects the types that are reachable from exposed values.
type exposure struct {
	pkg   *types.Package
	names map[*types.TypeName]exposing
	how   exposing
	seen  map[types.Type]bool
}

func (g *exposure) add(t types.Type) {
	if g.seen[t] {
		return
	}
	g.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		g.add(types.Unalias(t))
	case *types.Named:
		g.named(t)
	case *types.Pointer:
		g.add(t.Elem())
	case *types.Slice:
		g.add(t.Elem())
	case *types.Array:
		g.add(t.Elem())
	case *types.Chan:
		g.add(t.Elem())
	case *types.Map:
		g.add(t.Key())
		g.add(t.Elem())
	case *types.Signature:
		g.tuple(t.Params())
		g.tuple(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				g.add(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			g.add(m.Type())
		}
	}
}

// named adds a type of this package, and the types in its exported methods.
func (g *exposure) named(t *types.Named) {
	if args := t.TypeArgs(); args != nil {
		for a := range args.Types() {
			g.add(a)
		}
	}
	if t.Obj().Pkg() != g.pkg {
		return
	}
	g.names[t.Obj()] = g.how
	// What other packages come to through the type has a static type for them.
	defer func(how exposing) { g.how = how }(g.how)
	g.how = byName
	g.add(t.Underlying())
	for m := range t.Methods() {
		if m.Exported() {
			g.add(m.Type())
		}
	}
}

func (g *exposure) tuple(t *types.Tuple) {
	for v := range t.Variables() {
		g.add(v.Type())
	}
}
