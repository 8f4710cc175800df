package repro

import (
	"fmt"
	"go/types"
	"strings"
)

// fakes are the types that the test declares because the package has none that implements an interface.
// Their methods do nothing, and return zero values.
type fakes struct {
	names map[string]string // by interface
	decls []string
}

// fake returns a value of an interface.
func (b *builder) fake(t types.Type, u *types.Interface) (string, error) {
	if name, ok := b.fakes.names[t.String()]; ok {
		return "&" + name + "{}", nil
	}
	if !u.IsMethodSet() {
		return "", missing{t}
	}
	name := fmt.Sprintf("atomvetFake%d", len(b.fakes.names)+1)
	var decl strings.Builder
	fmt.Fprintf(&decl, "type %s struct{ _ int }\n\n", name)
	for m := range u.Methods() {
		if !m.Exported() && m.Pkg() != b.pkg || !b.canNameAll(m.Signature()) {
			return "", missing{t}
		}
		sig := m.Signature()
		bare := types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), results(sig.Results()), sig.Variadic())
		fmt.Fprintf(&decl, "func (*%s) %s%s { return }\n\n", name, m.Name(), strings.TrimPrefix(b.typeName(bare), "func"))
	}
	b.fakes.names[t.String()] = name
	b.fakes.decls = append(b.fakes.decls, decl.String())
	return "&" + name + "{}", nil
}

// results returns named results, so that a return statement needs no values.
func results(t *types.Tuple) *types.Tuple {
	var list []*types.Var
	for v := range t.Variables() {
		list = append(list, types.NewParam(0, nil, fmt.Sprintf("r%d", len(list)+1), v.Type()))
	}
	return types.NewTuple(list...)
}

// canNameAll reports whether the test can write the types of a signature.
func (b *builder) canNameAll(sig *types.Signature) bool {
	for _, t := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range t.Variables() {
			if !b.canName(v.Type()) {
				return false
			}
		}
	}
	return true
}

// used returns the declarations that a body needs.
func (f *fakes) used(body string) string {
	var out strings.Builder
	for _, decl := range f.decls {
		name := strings.Fields(decl)[1]
		if strings.Contains(body, name+"{") {
			out.WriteString(decl)
		}
	}
	return out.String()
}
