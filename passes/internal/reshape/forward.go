package reshape

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// forward moves the body of each method into another one, which it calls.
//
//	func (s *store) Get(k string) int { return s.re0Get(k) }
func (w *writer) forward() {
	for _, f := range w.Files {
		for _, fn := range functions(f) {
			if text, ok := w.forwarder(f, fn); ok {
				w.replace(f, fn.Name.Pos(), fn.Name.Pos(), prefix)
				w.add(f, text)
				w.places++
			}
		}
	}
}

// forwarder returns the method that calls the one which gets the body.
func (w *writer) forwarder(f *ast.File, fn *ast.FuncDecl) (text string, ok bool) {
	if fn.Recv == nil || w.isGeneric(fn) {
		return "", false
	}
	sig := w.Info.Defs[fn.Name].Type().(*types.Signature)
	recv, ok := w.typeText(f, sig.Recv().Type())
	if !ok {
		return "", false
	}
	var params, args, results []string
	for i := range sig.Params().Len() {
		t, ok := w.typeText(f, sig.Params().At(i).Type())
		if !ok {
			return "", false
		}
		arg := fmt.Sprintf("p%d", i)
		param := arg + " " + t
		if sig.Variadic() && i == sig.Params().Len()-1 {
			param, arg = arg+" ..."+strings.TrimPrefix(t, "[]"), arg+"..."
		}
		params, args = append(params, param), append(args, arg)
	}
	for v := range sig.Results().Variables() {
		t, ok := w.typeText(f, v.Type())
		if !ok {
			return "", false
		}
		results = append(results, t)
	}
	returns := ""
	if len(results) > 0 {
		returns = "return "
	}
	return fmt.Sprintf("func (%[1]sr %[2]s) %[3]s(%[4]s) (%[5]s) { %[6]s%[1]sr.%[1]s%[3]s(%[7]s) }\n",
		prefix, recv, fn.Name.Name, strings.Join(params, ", "), strings.Join(results, ", "), returns, strings.Join(args, ", ")), true
}
