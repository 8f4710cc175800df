package repro

import (
	"go/types"
	"strings"
)

// arguments are the types that are tried as type arguments.
var arguments = []types.Type{types.Typ[types.String], types.Typ[types.Int], types.Typ[types.Float64], types.Typ[types.Bool], types.NewPointer(types.Typ[types.Int])}

// argumentsFor returns type arguments that satisfy the constraints of type parameters: the same for
// the same place, so that functions meet, and others for other places, so that a key is no value.
func argumentsFor(list *types.TypeParamList) ([]types.Type, bool) {
	var out []types.Type
	for i := range list.Len() {
		var found types.Type
		for j := range arguments {
			t := arguments[(i+j)%len(arguments)]
			if c, ok := list.At(i).Constraint().Underlying().(*types.Interface); ok && types.Satisfies(t, c) {
				found = t
				break
			}
		}
		if found == nil {
			return nil, false
		}
		out = append(out, found)
	}
	return out, true
}

// instance returns a type with type arguments, if it has parameters: t is the type of a receiver.
func (b *builder) instance(t types.Type) (types.Type, error) {
	if p, ok := t.(*types.Pointer); ok {
		elem, err := b.instance(p.Elem())
		if err != nil {
			return nil, err
		}
		return types.NewPointer(elem), nil
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.TypeParams().Len() == 0 {
		return t, nil
	}
	args, ok := argumentsFor(named.TypeParams())
	if !ok {
		return nil, missing{t}
	}
	inst, err := types.Instantiate(nil, named.Origin(), args, true)
	if err != nil {
		return nil, missing{t}
	}
	return inst, nil
}

// instantiate returns the signature of a generic function with type arguments, and these as source.
func (b *builder) instantiate(sig *types.Signature) (*types.Signature, string, error) {
	args, ok := argumentsFor(sig.TypeParams())
	if !ok {
		return nil, "", missing{sig}
	}
	return b.withArguments(sig, args)
}

func (b *builder) withArguments(sig *types.Signature, args []types.Type) (*types.Signature, string, error) {
	inst, err := types.Instantiate(nil, sig, args, true)
	if err != nil {
		return nil, "", missing{sig}
	}
	var names []string
	for _, t := range args {
		names = append(names, b.typeName(t))
	}
	return inst.(*types.Signature), "[" + strings.Join(names, ", ") + "]", nil
}

// instanceFor returns the signature of a generic constructor of objects of a type.
func instanceFor(b *builder, fn *types.Func, t types.Type) (*types.Signature, string, bool) {
	named, ok := types.Unalias(t.Underlying().(*types.Pointer).Elem()).(*types.Named)
	if !ok || named.TypeArgs().Len() != fn.Signature().TypeParams().Len() {
		return nil, "", false
	}
	var args []types.Type
	for arg := range named.TypeArgs().Types() {
		args = append(args, arg)
	}
	sig, text, err := b.withArguments(fn.Signature(), args)
	if err != nil {
		return nil, "", false
	}
	r := sig.Results().At(0).Type()
	return sig, text, types.Identical(r, t) || types.Identical(types.NewPointer(r), t)
}
