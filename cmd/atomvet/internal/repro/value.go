package repro

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// A builder writes expressions for values. Objects behind pointers are made once, and shared by all
// that need one of the type: that is what lets two functions meet.
type builder struct {
	pkg     *types.Package
	imports map[string]string // path to name
	lines   []string          // statements
	objects []object
	making  []string // types that are being made
}

// An object is a variable of the test.
type object struct {
	name string
	t    types.Type // a pointer
}

func newBuilder(pkg *types.Package) *builder {
	return &builder{pkg: pkg, imports: make(map[string]string)}
}

// clone returns a copy to go on with.
func (b *builder) clone() *builder {
	c := *b
	c.lines, c.objects = slices.Clone(b.lines), slices.Clone(b.objects)
	return &c
}

// A missing is the error for a type of which no value can be made.
type missing struct{ t types.Type }

func (m missing) Error() string { return fmt.Sprintf("no value of type %s can be made", m.t) }

func (b *builder) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == b.pkg {
			return ""
		}
		b.imports[p.Path()] = p.Name()
		return p.Name()
	})
}

// maxNesting bounds the values that a value needs.
const maxNesting = 6

// value returns an expression for a value of a type.
func (b *builder) value(t types.Type) (string, error) {
	if len(b.making) > maxNesting || !b.canName(t) {
		return "", missing{t}
	}
	b.making = append(b.making, t.String())
	defer func() { b.making = b.making[:len(b.making)-1] }()
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return b.basic(t, u)
	case *types.Pointer:
		return b.pointer(t, u)
	case *types.Slice:
		elem, err := b.value(u.Elem())
		if err != nil {
			return b.typeName(t) + "{}", nil
		}
		return b.typeName(t) + "{" + elem + "}", nil
	case *types.Map:
		return b.typeName(t) + "{}", nil
	case *types.Array:
		return b.typeName(t) + "{}", nil
	case *types.Chan:
		return fmt.Sprintf("make(%s, 16)", b.typeName(types.NewChan(types.SendRecv, u.Elem()))), nil
	case *types.Signature:
		return b.function(u)
	case *types.Struct:
		return b.structure(t, u)
	case *types.Interface:
		return b.implementation(t, u)
	}
	return "", missing{t}
}

// canName reports whether the test can write the name of a type.
func (b *builder) canName(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		o := t.Obj()
		if o.Pkg() != nil && o.Pkg() != b.pkg && !o.Exported() || t.TypeParams().Len() > t.TypeArgs().Len() {
			return false
		}
		return o.Pkg() == nil || o.Parent() == o.Pkg().Scope()
	case *types.Pointer:
		return b.canName(t.Elem())
	case *types.Slice:
		return b.canName(t.Elem())
	case *types.TypeParam:
		return false
	}
	return true
}

func (b *builder) basic(t types.Type, u *types.Basic) (string, error) {
	lit := ""
	switch {
	case u.Info()&types.IsBoolean != 0:
		lit = "true"
	case u.Info()&types.IsString != 0:
		lit = `"a"`
	case u.Info()&types.IsNumeric != 0:
		lit = "1"
	default:
		return "", missing{t}
	}
	return b.typeName(t) + "(" + lit + ")", nil
}

// pointer returns the object of the type, which it makes if there is none.
func (b *builder) pointer(t types.Type, u *types.Pointer) (string, error) {
	for _, o := range b.objects {
		if types.Identical(o.t, t) {
			return o.name, nil
		}
	}
	expr, err := b.construct(t)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("x%d", len(b.objects)+1)
	b.lines = append(b.lines, fmt.Sprintf("%s := %s", name, expr))
	b.objects = append(b.objects, object{name, t})
	return name, nil
}

// construct returns a call of a constructor in the package, or else a composite literal.
func (b *builder) construct(t types.Type) (string, error) {
	var best *types.Func
	scope := b.pkg.Scope()
	for _, name := range scope.Names() {
		fn, ok := scope.Lookup(name).(*types.Func)
		if !ok || fn.Signature().TypeParams().Len() > 0 || fn.Signature().Variadic() && fn.Signature().Params().Len() > 1 || !isConstructor(fn, t) {
			continue
		}
		if best == nil || fn.Signature().Params().Len() < best.Signature().Params().Len() {
			best = fn
		}
	}
	if best != nil && !slices.Contains(b.making[:max(len(b.making)-1, 0)], t.String()) {
		saved := b.clone()
		if expr, err := b.call(best.Name(), best.Signature()); err == nil {
			if best.Signature().Results().Len() == 2 {
				b.imports["atomvetrt"] = ""
				expr = "atomvetrt.Must(" + expr + ")"
			}
			return expr, nil
		}
		*b = *saved
	}
	elem := t.Underlying().(*types.Pointer).Elem()
	if st, ok := elem.Underlying().(*types.Struct); ok {
		lit, err := b.structure(elem, st)
		return "&" + lit, err
	}
	return fmt.Sprintf("new(%s)", b.typeName(elem)), nil
}

// isConstructor reports whether a function returns an object of a type, alone or with an error,
// and is called like one that makes it.
func isConstructor(fn *types.Func, t types.Type) bool {
	if !strings.HasPrefix(strings.ToLower(fn.Name()), "new") && !strings.HasPrefix(strings.ToLower(fn.Name()), "open") && !strings.HasPrefix(strings.ToLower(fn.Name()), "make") {
		return false
	}
	r := fn.Signature().Results()
	switch r.Len() {
	case 1:
	case 2:
		if r.At(1).Type().String() != "error" {
			return false
		}
	default:
		return false
	}
	return types.Identical(r.At(0).Type(), t)
}

// call returns a call with arguments.
func (b *builder) call(fun string, sig *types.Signature) (string, error) {
	var args []string
	n := sig.Params().Len()
	if sig.Variadic() {
		n--
	}
	for i := range n {
		arg, err := b.value(sig.Params().At(i).Type())
		if err != nil {
			return "", err
		}
		args = append(args, arg)
	}
	return fmt.Sprintf("%s(%s)", fun, strings.Join(args, ", ")), nil
}

// function returns a function that returns values of its result types.
func (b *builder) function(sig *types.Signature) (string, error) {
	var results []string
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		if t.String() == "error" {
			results = append(results, "nil")
			continue
		}
		r, err := b.value(t)
		if err != nil {
			return "", err
		}
		results = append(results, r)
	}
	body := ""
	if len(results) > 0 {
		body = "return " + strings.Join(results, ", ")
	}
	bare := types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic())
	return fmt.Sprintf("%s { %s }", b.typeName(bare), body), nil
}

func unnamed(t *types.Tuple) *types.Tuple {
	var list []*types.Var
	for v := range t.Variables() {
		list = append(list, types.NewParam(0, nil, "", v.Type()))
	}
	return types.NewTuple(list...)
}

// structure returns a composite literal with the fields that are of no use when they are zero.
func (b *builder) structure(t types.Type, u *types.Struct) (string, error) {
	foreign := false
	if named, ok := types.Unalias(t).(*types.Named); ok {
		foreign = named.Obj().Pkg() != b.pkg
	}
	var fields []string
	for f := range u.Fields() {
		if foreign && !f.Exported() {
			continue
		}
		switch f.Type().Underlying().(type) {
		case *types.Map, *types.Chan, *types.Signature, *types.Interface:
		case *types.Pointer:
			if foreign {
				continue
			}
		default:
			continue
		}
		if expr, err := b.value(f.Type()); err == nil {
			fields = append(fields, f.Name()+": "+expr)
		}
	}
	return b.typeName(t) + "{" + strings.Join(fields, ", ") + "}", nil
}

// known are values of interfaces of the standard library.
var known = map[string][2]string{
	"context.Context": {"context", "context.Background()"},
	"error":           {"io", "io.EOF"},
	"io.Writer":       {"io", "io.Discard"},
	"io.Reader":       {"strings", `strings.NewReader("a")`},
	"any":             {"", `any("a")`},
	"interface{}":     {"", `any("a")`},
}

// implementation returns a value of an interface: of the standard library, or of a type of the
// package that implements it.
func (b *builder) implementation(t types.Type, u *types.Interface) (string, error) {
	if k, ok := known[t.String()]; ok {
		if k[0] != "" {
			b.imports[k[0]] = k[0]
		}
		return k[1], nil
	}
	scope := b.pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		if named, ok := tn.Type().(*types.Named); !ok || named.TypeParams().Len() > 0 {
			continue
		}
		for _, impl := range []types.Type{types.NewPointer(tn.Type()), tn.Type()} {
			if !types.Implements(impl, u) || slices.Contains(b.making, impl.String()) {
				continue
			}
			if expr, err := b.value(impl); err == nil {
				return expr, nil
			}
		}
	}
	return "", missing{t}
}
