package callgraph

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// The exported methods of an unexported type are only called from other packages
// if values of the type get there: through what the package exports, or in an
// interface. All other types are hidden, and the package has all calls of their
// methods.

// Callable reports whether other packages, or code that is not known, can call f
// by its name.
func (p *Graph) Callable(f *Node) bool {
	if !f.Exported() {
		return false
	}
	recv := f.Fn.Signature.Recv()
	if recv == nil {
		return true
	}
	named, ok := types.Unalias(ssautil.Deref(recv.Type())).(*types.Named)
	return !ok || named.Obj().Exported() || p.given[named.Obj()]
}

// givenTypes returns the types of the package that values given to others may have.
func (p *Graph) givenTypes() map[*types.TypeName]bool {
	g := giver{pkg: p.Pkg, names: make(map[*types.TypeName]bool), seen: make(map[types.Type]bool)}
	scope := p.Pkg.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			g.give(obj.Type())
		}
	}
	for _, f := range p.Funcs {
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				if mi, ok := instr.(*ssa.MakeInterface); ok {
					g.give(mi.X.Type())
				}
			}
		}
	}
	return g.names
}

// A giver collects the types of what others can get hold of.
type giver struct {
	pkg   *types.Package
	names map[*types.TypeName]bool
	seen  map[types.Type]bool
}

func (g *giver) give(t types.Type) {
	if g.seen[t] {
		return
	}
	g.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		g.give(types.Unalias(t))
	case *types.Named:
		g.named(t)
	case *types.Pointer:
		g.give(t.Elem())
	case *types.Slice:
		g.give(t.Elem())
	case *types.Array:
		g.give(t.Elem())
	case *types.Chan:
		g.give(t.Elem())
	case *types.Map:
		g.give(t.Key())
		g.give(t.Elem())
	case *types.Signature:
		g.tuple(t.Params())
		g.tuple(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				g.give(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			g.give(m.Type())
		}
	}
}

// named gives a type of this package, with what its exported methods give.
func (g *giver) named(t *types.Named) {
	if args := t.TypeArgs(); args != nil {
		for a := range args.Types() {
			g.give(a)
		}
	}
	if t.Obj().Pkg() != g.pkg {
		return
	}
	g.names[t.Obj()] = true
	g.give(t.Underlying())
	for m := range t.Methods() {
		if m.Exported() {
			g.give(m.Type())
		}
	}
}

func (g *giver) tuple(t *types.Tuple) {
	for v := range t.Variables() {
		g.give(v.Type())
	}
}
