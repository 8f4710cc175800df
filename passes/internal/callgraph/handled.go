package callgraph

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A type of the package is handled if a package variable has it, or a function of the package has a value of it. The methods of the type and the
// functions that return it count only if they pass it on in an interface, and tests do not count. The values of a type that is not handled come
// back in interfaces, from code outside the package, which chooses among the implementations.
//
//	type Store interface { Get(k string) int; Set(k string, v int) }
//	type InmemStore struct { … } // NewInmemStore() *InmemStore is exported
//	func New(s Store) *Node      // a Store of another package as well
//
// What an access by the interface does to such a type is known of one implementation only.

// IsChosen reports whether the location at base is a field of a type of the package that is not handled, and f has got the object as a parameter of an
// interface type: its callers have chosen the implementation. What f keeps in an interface is its own to share.
func (p *Graph) IsChosen(f *Node, base accesspath.Path, l accesspath.Location) bool {
	if l.Pkg() != p.Pkg.Path() || l.Type() == "" || !p.Entered(f) {
		return false // what is passed to f is known if the package makes all calls of it
	}
	for i, prm := range f.Fn.Params {
		if accesspath.Param(i) == base.Root() && types.IsInterface(prm.Type()) {
			obj := p.Pkg.Scope().Lookup(l.Type())
			return obj != nil && !p.handled[obj]
		}
	}
	return false
}

// findHandled finds the types that are handled.
func (p *Graph) findHandled() {
	p.handled = make(map[types.Object]bool)
	for _, name := range p.Pkg.Scope().Names() {
		if v, ok := p.Pkg.Scope().Lookup(name).(*types.Var); ok {
			p.handled[ssautil.Declared(v.Type())] = true
		}
	}
	for _, f := range p.Funcs {
		if f.Test {
			continue
		}
		own := ownTypes(f.Fn)
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				v, ok := instr.(ssa.Value)
				if !ok {
					continue
				}
				if obj := ssautil.Declared(v.Type()); obj != nil && !own[obj] {
					p.handled[obj] = true
				}
				if mi, ok := v.(*ssa.MakeInterface); ok && isPassed(mi) {
					p.handled[ssautil.Declared(mi.X.Type())] = true
				}
			}
		}
		for _, prm := range f.Fn.Params {
			if obj := ssautil.Declared(prm.Type()); obj != nil && !own[obj] {
				p.handled[obj] = true
			}
		}
	}
}

// isPassed reports whether an interface value is an argument of a call.
func isPassed(mi *ssa.MakeInterface) bool {
	return slices.ContainsFunc(ssautil.Uses(mi), func(use ssa.Instruction) bool {
		c, ok := use.(ssa.CallInstruction)
		return ok && slices.Contains(c.Common().Args, ssa.Value(mi))
	})
}

// ownTypes returns the types whose functions fn, or the function that fn is a literal in, is one of: its receiver type, the types that it returns,
// and those that they embed.
func ownTypes(fn *ssa.Function) map[types.Object]bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	own := make(map[types.Object]bool)
	var add func(types.Type)
	add = func(t types.Type) {
		obj := ssautil.Declared(t)
		if obj == nil || own[obj] {
			return
		}
		own[obj] = true
		if s, ok := obj.Type().Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if f.Embedded() {
					add(f.Type())
				}
			}
		}
	}
	if recv := fn.Signature.Recv(); recv != nil {
		add(recv.Type())
	}
	for v := range fn.Signature.Results().Variables() {
		add(v.Type())
	}
	return own
}
