package interleave

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

func typeName(t types.Type) string {
	return types.TypeString(t, func(*types.Package) string { return "" })
}

func fieldOf(t types.Type, i int) *types.Var { return t.Underlying().(*types.Struct).Field(i) }

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// atomicOf returns the operation of a function of sync/atomic.
func atomicOf(fn *ssa.Function) (string, bool) {
	if fn == nil {
		return "", false
	}
	obj, _ := origin(fn).Object().(*types.Func)
	return atomicOfObject(obj)
}

func atomicOfObject(obj *types.Func) (string, bool) {
	if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != "sync/atomic" {
		return "", false
	}
	for _, op := range []string{"CompareAndSwap", "Load", "Store", "Swap", "Add", "And", "Or"} {
		if strings.HasPrefix(obj.Name(), op) {
			return op, true
		}
	}
	return "", false
}

// operandType returns the type of the memory that an atomic operation works on.
func operandType(op string, sig *types.Signature) types.Type {
	if op == "Load" {
		return sig.Results().At(0).Type()
	}
	return sig.Params().At(sig.Params().Len() - 1).Type()
}

// isData reports whether values of a type are copied with the structure that they are in.
func isData(t types.Type) bool {
	if named := ssautil.Named(t); named != nil && named.Obj().Pkg() != nil {
		if _, isStruct := t.Underlying().(*types.Struct); isStruct && stdlib.OfPackage(named.Obj().Pkg().Path()).Listed {
			return false
		}
	}
	return true
}
