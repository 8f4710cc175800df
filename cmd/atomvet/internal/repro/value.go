package repro

import (
	"fmt"
	"go/types"
	"path"
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
	values  values
	sizes   values // for constructors
	parts   bool   // take objects out of larger ones
	empty   bool   // maps of objects begin without entries
	fakes   *fakes
}

// An object is a variable of the test.
type object struct {
	name string
	t    types.Type // a pointer
}

// values are the literals of basic types.
type values struct{ number, text, truth, duration, bytes string }

var (
	small = values{"1", `"a"`, "true", "1", `"a"`}
	other = values{"2", `"b"`, "false", "2", `"b"`}
	// With these a rival means the same element by a key of one type, and has other data of another.
	otherNumber = values{"2", `"a"`, "true", "2", `"b"`}
	otherText   = values{"1", `"b"`, "true", "1", `"b"`}
	large       = values{"16", `"a"`, "false", "3600000000000", `"aaaaaaaaaaaaaaaa"`}
)

func newBuilder(pkg *types.Package) *builder {
	return &builder{pkg: pkg, imports: make(map[string]string), values: small, sizes: small}
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
	if k, ok := known[t.String()]; ok {
		if k[0] != "" {
			b.imports[k[0]] = path.Base(k[0])
		}
		return k[1], nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return b.basic(t, u)
	case *types.Pointer:
		return b.pointer(t)
	case *types.Slice:
		if e, ok := u.Elem().(*types.Basic); ok && e.Kind() == types.Byte {
			return b.typeName(t) + "(" + b.values.bytes + ")", nil
		}
		elem, err := b.value(u.Elem())
		if err != nil {
			return b.typeName(t) + "{}", nil
		}
		return b.typeName(t) + "{" + elem + "}", nil
	case *types.Map:
		if b.empty {
			return b.typeName(t) + "{}", nil
		}
		return b.typeName(t) + "{" + b.entry(u) + "}", nil
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

// entry returns an entry of a map, "" if no key or value can be made.
func (b *builder) entry(m *types.Map) string {
	saved := b.clone()
	k, err := b.value(m.Key())
	if err == nil {
		var v string
		if v, err = b.value(m.Elem()); err == nil {
			return k + ": " + v
		}
	}
	*b = *saved
	return ""
}

// canName reports whether the test can write the name of a type.
func (b *builder) canName(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		o := t.Obj()
		if o.Pkg() != nil && o.Pkg() != b.pkg && (!o.Exported() || isInternal(o.Pkg(), b.pkg)) || t.TypeParams().Len() > t.TypeArgs().Len() {
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

// isInternal reports whether a package may not import another.
func isInternal(p, by *types.Package) bool {
	root, _, ok := strings.Cut("/"+p.Path()+"/", "/internal/")
	return ok && !strings.HasPrefix("/"+by.Path()+"/", root+"/")
}

func (b *builder) basic(t types.Type, u *types.Basic) (string, error) {
	lit := ""
	switch {
	case t.String() == "time.Duration":
		lit = b.values.duration
	case u.Info()&types.IsBoolean != 0:
		lit = b.values.truth
	case u.Info()&types.IsString != 0:
		lit = b.values.text
	case u.Info()&types.IsNumeric != 0:
		lit = b.values.number
	default:
		return "", missing{t}
	}
	return b.typeName(t) + "(" + lit + ")", nil
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
	saved := b.empty
	b.empty = b.sizes == small
	defer func() { b.empty = saved }()
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

// known are values of types of the standard library, with the package that they are from.
var known = map[string][2]string{
	"context.Context":         {"context", "context.Background()"},
	"error":                   {"io", "io.EOF"},
	"io.Writer":               {"io", "io.Discard"},
	"io.Reader":               {"strings", `strings.NewReader("a")`},
	"any":                     {"", `any("a")`},
	"interface{}":             {"", `any("a")`},
	"net/http.ResponseWriter": {"net/http/httptest", "httptest.NewRecorder()"},
	"*net/http.Request":       {"net/http/httptest", `httptest.NewRequest("GET", "/", nil)`},
}

// implementation returns a value of an interface: of a type of the package that implements it, or of one
// that the test has for that.
func (b *builder) implementation(t types.Type, u *types.Interface) (string, error) {
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
			saved := b.clone()
			if expr, err := b.value(impl); err == nil {
				return expr, nil
			}
			*b = *saved
		}
	}
	return b.fake(t, u)
}
