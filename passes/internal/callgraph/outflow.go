package callgraph

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A value of an unexported type in an interface reaches other packages only if values of
// that interface type do. The outflow is the set of the interface types of which the package
// hands out values: in arguments of functions that it does not contain, in results of its
// exported functions and of literals, in exported fields and variables, or in a panic. It is
// computed by type, without regard to the paths that the single values take:
//
//	type House struct { lamps map[string]Lamp } // no function returns a Lamp
//
// A conversion of one interface type to another makes the first flow out if the second does.
type outflow struct {
	graph *Graph
	out   typeutil.Map // interface types that flow out, to true
	from  typeutil.Map // interface types, to those that are converted to them: []types.Type
}

// newOutflow computes the outflow of a package. The calls of tests do not count, as those of
// the package do not depend on them.
func newOutflow(p *Graph) *outflow {
	o := &outflow{graph: p}
	for _, f := range p.Funcs {
		if f.Test {
			continue
		}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				o.instruction(f, instr)
			}
		}
	}
	return o
}

// Has reports whether values of an interface type flow out.
func (o *outflow) Has(t types.Type) bool { return o.out.At(t) != nil }

func (o *outflow) instruction(f *Node, instr ssa.Instruction) {
	switch instr := instr.(type) {
	case ssa.CallInstruction:
		o.call(instr.Common())
	case *ssa.Return:
		if f.Exported() || f.Named || f.Fn.Parent() != nil {
			for _, v := range instr.Results {
				o.leak(v.Type())
			}
		}
	case *ssa.Store:
		if !o.keeps(instr.Addr) {
			o.leak(instr.Val.Type())
		}
	case *ssa.Panic:
		o.leak(instr.X.Type())
	case *ssa.MakeClosure:
		// A method value of an interface can be called anywhere.
		if o.graph.ByFn[instr.Fn.(*ssa.Function)] == nil {
			for _, v := range instr.Bindings {
				o.leak(v.Type())
			}
		}
	case *ssa.ChangeInterface:
		o.convert(instr.X.Type(), instr.Type())
	case *ssa.MakeInterface:
		o.convert(instr.X.Type(), instr.Type())
	case *ssa.TypeAssert:
		if types.IsInterface(instr.AssertedType) {
			o.convert(instr.X.Type(), instr.AssertedType)
		}
	}
}

// call adds what is handed to a function outside the package, or to an unknown one. An
// interface call that is not resolved, as it has too many callees, may run any method.
func (o *outflow) call(c *ssa.CallCommon) {
	if ssautil.Builtin(c) != "" {
		return
	}
	if fn := c.StaticCallee(); fn != nil && fn.Origin() == nil && o.graph.source(fn) != nil {
		return // what a generic function does with its arguments has the types of its parameters
	}
	if c.IsInvoke() && o.graph.implementations(c) == nil {
		o.leak(c.Value.Type())
	}
	for _, v := range c.Args {
		o.leak(v.Type())
	}
}

// keeps reports whether memory belongs to the package: a local variable, an unexported field
// or variable of it, or an element of a container, which is accounted for by its own type.
//
// The methods of an embedded interface can be called by way of the struct.
func (o *outflow) keeps(addr ssa.Value) bool {
	switch addr := addr.(type) {
	case *ssa.Alloc, *ssa.FreeVar, *ssa.IndexAddr:
		return true
	case *ssa.FieldAddr:
		st, ok := addr.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		if !ok {
			return false
		}
		field := st.Field(addr.Field)
		return !field.Exported() && !field.Embedded() && field.Pkg() == o.graph.Pkg
	case *ssa.Global:
		return addr.Object() != nil && !addr.Object().Exported() && addr.Pkg.Pkg == o.graph.Pkg
	}
	return false
}

// convert records that values that contain an interface of type from get the type to.
func (o *outflow) convert(from, to types.Type) {
	if o.Has(to) {
		o.leak(from)
		return
	}
	for _, t := range interfacesIn(from) {
		list, _ := o.from.At(to).([]types.Type)
		o.from.Set(to, append(list, t))
	}
}

// leak adds the interface types that values of type t contain, and those that are converted
// to them.
func (o *outflow) leak(t types.Type) {
	work := interfacesIn(t)
	for len(work) > 0 {
		t := work[len(work)-1]
		work = work[:len(work)-1]
		if o.Has(t) {
			continue
		}
		o.out.Set(t, true)
		list, _ := o.from.At(t).([]types.Type)
		work = append(work, list...)
	}
}

// interfacesIn returns the interface types of the values that code outside the package can
// get from a value of type t: unexported fields are out of its reach.
func interfacesIn(t types.Type) []types.Type {
	var out []types.Type
	seen := make(map[types.Type]bool)
	var add func(t types.Type)
	add = func(t types.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch u := t.Underlying().(type) {
		case *types.Interface:
			out = append(out, t)
		case *types.Pointer:
			add(u.Elem())
		case *types.Slice:
			add(u.Elem())
		case *types.Array:
			add(u.Elem())
		case *types.Chan:
			add(u.Elem())
		case *types.Map:
			add(u.Key())
			add(u.Elem())
		case *types.Struct:
			for f := range u.Fields() {
				if f.Exported() || f.Embedded() {
					add(f.Type())
				}
			}
		case *types.Signature:
			for r := range u.Results().Variables() {
				add(r.Type())
			}
		}
	}
	add(t)
	return out
}
