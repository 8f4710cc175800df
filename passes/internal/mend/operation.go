package mend

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// An operation is a call of a method of sync.Map or of a type of sync/atomic, or of a function of
// sync/atomic.
type operation struct {
	f    *function
	call *ast.CallExpr
	name string   // Load, Store, ...
	of   ast.Expr // the map or the number, or its address
	args []ast.Expr
	kind types.Type // of the number, nil for a map
	// suffix is the type in the name of a function, as Int64 in LoadInt64.
	suffix string
}

// operationAt returns the innermost operation around a position.
func (f *function) operationAt(at token.Pos) *operation {
	nodes := path(f.body, at)
	for i := len(nodes) - 1; i >= 0; i-- {
		if call, ok := nodes[i].(*ast.CallExpr); ok {
			if op := f.operation(call); op != nil {
				return op
			}
		}
	}
	return nil
}

func (f *function) operation(call *ast.CallExpr) *operation {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	fn, ok := f.pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil {
		return nil
	}
	op := &operation{f: f, call: call, name: fn.Name(), of: sel.X, args: call.Args}
	recv := fn.Signature().Recv()
	switch {
	case fn.Pkg().Path() == "sync" && recv != nil && named(recv.Type()) == "Map":
		return op
	case fn.Pkg().Path() == "sync/atomic" && recv != nil && named(recv.Type()) != "Value":
		op.kind = valueType(fn)
	case fn.Pkg().Path() == "sync/atomic" && recv == nil && len(call.Args) > 0:
		for _, name := range []string{"Load", "Store"} {
			if suffix, ok := strings.CutPrefix(fn.Name(), name); ok {
				op.name, op.suffix, op.of, op.args = name, suffix, call.Args[0], call.Args[1:]
				op.kind = valueType(fn)
			}
		}
	}
	if op.kind == nil {
		return nil
	}
	return op
}

// named returns the name of a type, or of what it points to.
func named(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// valueType returns the type of what a Load returns, or a Store is given.
func valueType(fn *types.Func) types.Type {
	sig := fn.Signature()
	if sig.Results().Len() == 1 {
		return sig.Results().At(0).Type()
	}
	if n := sig.Params().Len(); n > 0 {
		return sig.Params().At(n - 1).Type()
	}
	return nil
}

// isMap reports whether the operation is one of a sync.Map.
func (op *operation) isMap() bool { return op.kind == nil }

// isInteger reports whether the number is one that Add is for.
func (op *operation) isInteger() bool {
	b, ok := op.kind.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// become returns the source of another operation on the same operand.
func (op *operation) become(name string, args ...string) string {
	list := strings.Join(args, ", ")
	fun := ast.Unparen(op.call.Fun).(*ast.SelectorExpr) // as it is an operation
	if op.suffix == "" {
		return op.f.text(fun.X) + "." + name + "(" + list + ")"
	}
	return op.f.text(fun.X) + "." + name + op.suffix + "(" + op.f.text(op.of) + ", " + list + ")"
}

// together reports whether two operations are of the same operand, and the same element, which
// have not changed in between.
func together(load, act *operation) bool {
	f := load.f
	if load.isMap() != act.isMap() || load.suffix != act.suffix || !f.same(load.of, act.of) || !f.plain(load.of) || !f.stable(load.of, load.call.End(), act.call.Pos()) {
		return false
	}
	if load.isMap() {
		key := load.args[0]
		return f.same(key, act.args[0]) && f.plain(key) && f.stable(key, load.call.Pos(), act.call.Pos())
	}
	return true
}
