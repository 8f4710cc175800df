package repro

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// pointer returns the object of a pointer type. The first call makes it: by a constructor, as a
// part of an object that has one, or as a literal.
func (b *builder) pointer(t types.Type) (string, error) {
	for _, o := range b.objects {
		if types.Identical(o.t, t) {
			return o.name, nil
		}
	}
	expr, err := b.construct(t)
	if err != nil {
		return "", err
	}
	return b.define(expr, t), nil
}

// define writes the statement that gives an object a name.
func (b *builder) define(expr string, t types.Type) string {
	name := fmt.Sprintf("x%d", len(b.objects)+1)
	b.lines = append(b.lines, fmt.Sprintf("%s := %s", name, expr))
	b.objects = append(b.objects, object{name, t})
	return name
}

func (b *builder) construct(t types.Type) (string, error) {
	if slices.Contains(b.making[:max(len(b.making)-1, 0)], t.String()) {
		return b.literal(t)
	}
	if expr, ok := b.constructed(t); ok {
		return expr, nil
	}
	if b.parts {
		if expr, ok := b.part(t); ok {
			return expr, nil
		}
	}
	return b.literal(t)
}

// literal returns a composite literal, or a new variable.
func (b *builder) literal(t types.Type) (string, error) {
	elem := t.Underlying().(*types.Pointer).Elem()
	if st, ok := elem.Underlying().(*types.Struct); ok {
		lit, err := b.structure(elem, st)
		return "&" + lit, err
	}
	if !b.canName(elem) {
		return "", missing{t}
	}
	return fmt.Sprintf("new(%s)", b.typeName(elem)), nil
}

// constructed returns a call of a constructor, of those that can be called the one with the fewest
// parameters.
func (b *builder) constructed(t types.Type) (string, bool) {
	for _, fn := range b.constructors(t) {
		saved, values := b.clone(), b.values
		b.values = b.sizes
		name := fn.Name()
		if fn.Pkg() != b.pkg {
			b.imports[fn.Pkg().Path()] = fn.Pkg().Name()
			name = fn.Pkg().Name() + "." + name
		}
		sig := fn.Signature()
		if sig.TypeParams().Len() > 0 {
			inst, args, ok := instanceFor(b, fn, t)
			if !ok {
				*b = *saved
				continue
			}
			sig, name = inst, name+args
		}
		expr, err := b.call(name, sig)
		b.values = values
		if err != nil {
			*b = *saved
			continue
		}
		return b.result(expr, sig, t), true
	}
	return "", false
}

// constructors returns the functions that return an object of a type, of the package of the test or of
// that of the type.
func (b *builder) constructors(t types.Type) []*types.Func {
	packages := []*types.Package{b.pkg}
	if named, ok := types.Unalias(t.Underlying().(*types.Pointer).Elem()).(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg() != b.pkg && !isInternal(named.Obj().Pkg(), b.pkg) {
		packages = append(packages, named.Obj().Pkg())
	}
	var out []*types.Func
	for _, p := range packages {
		for _, name := range p.Scope().Names() {
			fn, ok := p.Scope().Lookup(name).(*types.Func)
			if ok && (p == b.pkg || fn.Exported()) && isConstructor(fn, t) {
				out = append(out, fn)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y *types.Func) int { return x.Signature().Params().Len() - y.Signature().Params().Len() })
	return out
}

// isConstructor reports whether a function is called like one that makes objects, and returns one of a
// type, or a value of the type that it points to, perhaps with an error.
func isConstructor(fn *types.Func, t types.Type) bool {
	name := strings.ToLower(fn.Name())
	if !slices.ContainsFunc([]string{"new", "open", "make", "create"}, func(p string) bool { return strings.HasPrefix(name, p) }) {
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
	return sameType(r.At(0).Type(), t) || sameType(types.NewPointer(r.At(0).Type()), t)
}

// sameType reports whether two types are identical but for type arguments.
func sameType(x, y types.Type) bool {
	if p, ok := x.(*types.Pointer); ok {
		q, ok := y.(*types.Pointer)
		return ok && sameType(p.Elem(), q.Elem())
	}
	m, ok := types.Unalias(x).(*types.Named)
	if !ok {
		return types.Identical(x, y)
	}
	n, ok := types.Unalias(y).(*types.Named)
	return ok && m.Origin() == n.Origin()
}

// result returns the object that a call of a constructor makes.
func (b *builder) result(call string, sig *types.Signature, t types.Type) string {
	if sig.Results().Len() == 2 {
		call = "atomvetrt.Must(" + call + ")"
	}
	if types.Identical(sig.Results().At(0).Type(), t) {
		return call
	}
	name := fmt.Sprintf("v%d", len(b.lines)+1)
	b.lines = append(b.lines, fmt.Sprintf("%s := %s", name, call))
	return "&" + name
}

// part returns an object that is a field of one that has a constructor.
func (b *builder) part(t types.Type) (string, bool) {
	scope := b.pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		whole := types.NewPointer(tn.Type())
		if named, ok := tn.Type().(*types.Named); !ok || named.TypeParams().Len() > 0 || slices.Contains(b.making, whole.String()) {
			continue
		}
		path := partOf(whole, t)
		if path == "" || len(b.constructors(whole)) == 0 {
			continue
		}
		saved := b.clone()
		if owner, err := b.value(whole); err == nil {
			return b.address(owner+path, whole, t), true
		}
		*b = *saved
	}
	return "", false
}

// address returns a pointer to a field, which may be one itself.
func (b *builder) address(expr string, whole, t types.Type) string {
	st := whole.Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	for f := range st.Fields() {
		if strings.HasSuffix(expr, "."+f.Name()) && types.Identical(f.Type(), t) {
			return expr
		}
	}
	return "&" + expr
}

// partOf returns the field of an object that is, or points to, an object of a type.
func partOf(object, t types.Type) string {
	elem := t.Underlying().(*types.Pointer).Elem()
	st, ok := object.Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	for f := range st.Fields() {
		if types.Identical(f.Type(), t) || types.Identical(f.Type(), elem) {
			return "." + f.Name()
		}
	}
	return ""
}

// receiver returns an object of a type: one that there is, a part of one that there is, or a new one.
func (b *builder) receiver(t types.Type) (string, error) {
	t = pointerTo(t)
	for _, o := range b.objects {
		if types.Identical(o.t, t) {
			return o.name, nil
		}
		if path := partOf(o.t, t); path != "" {
			return o.name + path, nil
		}
	}
	return b.value(t)
}

// call returns a call with arguments.
func (b *builder) call(fun string, sig *types.Signature) (string, error) {
	var args []string
	n := sig.Params().Len()
	if sig.Variadic() {
		n--
	}
	for i := range n {
		arg, err := b.argument(sig.Params().At(i))
		if err != nil {
			return "", err
		}
		args = append(args, arg)
	}
	return fmt.Sprintf("%s(%s)", fun, strings.Join(args, ", ")), nil
}

// argument returns a value for a parameter. A string by whose name a directory is meant is that of one.
func (b *builder) argument(p *types.Var) (string, error) {
	name := strings.ToLower(p.Name())
	isDir := slices.ContainsFunc([]string{"dir", "path", "root", "folder"}, func(s string) bool { return strings.HasSuffix(name, s) })
	if isDir && p.Type() == types.Typ[types.String] {
		return "atomvetrt.Dir()", nil
	}
	return b.value(p.Type())
}

// attempt returns a call for which no new object is needed.
func (b *builder) attempt(fun string, sig *types.Signature) (string, error) {
	if sig.TypeParams().Len() > 0 {
		return "", missing{sig}
	}
	saved := b.clone()
	call, err := b.call(fun, sig)
	if err == nil && len(b.objects) > len(saved.objects) {
		err = missing{sig}
	}
	if err != nil {
		*b = *saved
	}
	return call, err
}
