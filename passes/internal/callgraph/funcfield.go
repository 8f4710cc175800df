package callgraph

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// A field of a function type that has one function as its only value in the package is
// called like a method:
//
//	p.head = chain.Head
//	…
//	p.head() // a call of (*Chain).Head
//
// The receiver of a method value has no path in the caller. The value of the field stands
// for it: both are the same object until the field is reassigned.

// A funcField has the values of a field with function values.
type funcField struct {
	value ssa.Value // *ssa.Function or *ssa.MakeClosure
	many  bool      // the field has other values, or unknown ones
}

// fieldOf returns the location of the field whose value a call calls, or "".
func fieldOf(c *ssa.CallCommon) accesspath.Location {
	if l, ok := c.Value.(*ssa.UnOp); ok && l.Op == token.MUL {
		if addr, ok := l.X.(*ssa.FieldAddr); ok {
			return accesspath.LocationOf(addr)
		}
	}
	return ""
}

// fieldCallees resolves a call of the value of a field.
func (p *Graph) fieldCallees(c *ssa.CallCommon) []Callee {
	field := p.funcFields[fieldOf(c)]
	if field.value == nil || field.many {
		return nil
	}
	var cs []Callee
	switch v := field.value.(type) {
	case *ssa.Function:
		cs = p.Static(v, c.Args, nil)
	case *ssa.MakeClosure:
		fn := v.Fn.(*ssa.Function)
		if obj, ok := fn.Object().(*types.Func); ok && obj.Signature().Recv() != nil {
			fn = fn.Prog.FuncValue(obj) // a method value
			if fn == nil {
				return nil
			}
			return p.Static(fn, append([]ssa.Value{c.Value}, c.Args...), nil)
		}
		cs = p.Static(fn, c.Args, nil)
	}
	return cs
}
