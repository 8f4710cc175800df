package callgraph

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An exported method of an unexported type is called from other packages only if values of
// the type reach them: through exported declarations, or in an interface. All other
// unexported types are confined to the package, which therefore has all calls of their
// methods.

// Callable reports whether code outside the package can call f by its name.
func (p *Graph) Callable(f *Node) bool {
	if !f.Exported() {
		return false
	}
	recv := f.Fn.Signature.Recv()
	if recv == nil {
		return true
	}
	named, ok := types.Unalias(ssautil.Deref(recv.Type())).(*types.Named)
	return !ok || named.Obj().Exported() || p.exposed[named.Obj()]
}

// exposedTypes returns the types of the package whose values other packages can have.
func (p *Graph) exposedTypes() map[*types.TypeName]bool {
	g := exposure{pkg: p.Pkg, names: make(map[*types.TypeName]bool), seen: make(map[types.Type]bool)}
	scope := p.Pkg.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			g.add(obj.Type())
		}
	}
	for _, f := range p.Funcs {
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				if mi, ok := instr.(*ssa.MakeInterface); ok {
					g.add(mi.X.Type())
				}
			}
		}
	}
	return g.names
}

// An exposure collects the types that are reachable from exposed values.
type exposure struct {
	pkg   *types.Package
	names map[*types.TypeName]bool
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
	g.names[t.Obj()] = true
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
