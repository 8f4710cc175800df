package interleave

import (
	"go/constant"
	"go/types"
	"strconv"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// apply is an operation without a model: a function of its operands.
func (r *run) apply(op string, t types.Type, args ...value) value {
	roots := make([]value, len(args))
	for i, a := range args {
		if a != nil {
			roots[i] = r.w.root(a)
		}
		if n, ok := roots[i].(number); ok {
			roots[i] = r.w.normal(n)
		}
	}
	return r.w.unknown(op+"("+texts(roots)+")", t, "", true)
}

// An info describes an object of the start state, or one that an unknown function has made.
type info struct {
	typ  types.Type
	made string
}

// open returns the structure that a type is, if its fields are of concern: a structure of another
// package that has no exported fields is a scalar.
func (w *world) open(t types.Type) (*types.Struct, bool) {
	st, ok := t.Underlying().(*types.Struct)
	if !ok || st.NumFields() == 0 {
		return st, ok
	}
	for f := range st.Fields() {
		if f.Exported() {
			return st, true
		}
	}
	named := ssautil.Named(t)
	return st, named == nil || named.Obj().Pkg() == w.known.graph.Pkg
}

// zero returns the zero value of a type.
func (w *world) zero(t types.Type) value {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return boolean(false)
		case u.Info()&types.IsNumeric != 0:
			return integer(0)
		case u.Info()&types.IsString != 0:
			return quoted("")
		}
	case *types.Struct:
		if _, ok := w.open(t); !ok {
			return literal("zero " + typeName(t))
		}
		s := structure{typ: u, fields: make([]value, u.NumFields())}
		for i := range s.fields {
			if isData(u.Field(i).Type()) {
				s.fields[i] = w.zero(u.Field(i).Type())
			}
		}
		return s
	case *types.Array:
		return literal("zero " + typeName(t))
	case *types.Tuple:
		out := make(tuple, u.Len())
		for i := range out {
			out[i] = w.zero(u.At(i).Type())
		}
		return out
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return literal("zero " + t.String())
	}
	return null{}
}

// start returns the value of a cell in the start state.
func (w *world) start(name string, t types.Type, field *types.Var) value {
	if v, ok := w.cells[name]; ok {
		return w.root(v)
	}
	v := w.startValue(name, t, field)
	w.cells[name] = v
	return v
}

func (w *world) startValue(name string, t types.Type, field *types.Var) value {
	if domain := w.known.domain(field); domain != nil {
		return constantValue(domain[w.choose("value of "+name, len(domain))], t)
	}
	mayBeNil := field == nil || w.known.mayBeNil(field)
	if field != nil && types.IsInterface(t) && w.known.isSettled(field) && field.Parent() != nil && field.Pkg() != nil && field.Parent() == field.Pkg().Scope() {
		return literal(field.Name()) // an error that is a package variable, for example
	}
	return w.unknown(name, t, "", mayBeNil)
}

func constantValue(c constant.Value, t types.Type) value {
	switch c.Kind() {
	case constant.Bool:
		return boolean(constant.BoolVal(c))
	case constant.String:
		return quoted(constant.StringVal(c))
	case constant.Int, constant.Float:
		if i, exact := constant.Int64Val(constant.ToInt(c)); exact && ssautil.IsNumber(t) {
			return integer(i)
		}
	}
	return literal(c.ExactString())
}

// unknown returns a value of which nothing is known. made names the call that has made it, if it
// is new.
func (w *world) unknown(name string, t types.Type, made string, mayBeNil bool) value {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return boolean(w.choose(name, 2) == 1)
		case u.Info()&types.IsUnsigned != 0:
			w.atLeast(name, 0)
			return variable(name)
		case u.Info()&types.IsNumeric != 0:
			return variable(name)
		}
		return symbol{name: name}
	case *types.Struct:
		if _, ok := w.open(t); !ok {
			return symbol{name: name}
		}
		s := structure{typ: u, fields: make([]value, u.NumFields())}
		for i := range s.fields {
			if f := u.Field(i); isData(f.Type()) {
				s.fields[i] = w.unknown(name+"."+f.Name(), f.Type(), made, true)
			}
		}
		return s
	case *types.Tuple:
		out := make(tuple, u.Len())
		for i := range out {
			out[i] = w.unknown(name+"#"+strconv.Itoa(i), u.At(i).Type(), made, true)
		}
		return out
	case *types.Array:
		return symbol{name: name}
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return symbol{name: name}
	}
	if mayBeNil && w.choose(name+" is nil", 2) == 1 {
		return null{}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return pointer{obj: w.target(name, u.Elem(), made)}
	case *types.Map:
		return pointer{obj: w.named(name, t, made)}
	case *types.Chan:
		return pointer{obj: w.named(name, t, made)}
	case *types.Slice:
		w.atLeast("len("+name+")", 0)
		return slice{obj: w.named(name, t, made), n: variable("len(" + name + ")")}
	}
	return symbol{name: name, made: made}
}

// named registers an object.
func (w *world) named(name string, t types.Type, made string) string {
	if in, ok := w.infos[name]; ok && (in.typ == nil || t == nil || !types.Identical(in.typ, t)) {
		name = "*" + name // what a pointer variable points to
	}
	if _, ok := w.infos[name]; !ok {
		w.infos[name] = info{t, made}
		w.names = append(w.names, name)
	}
	return name
}

// target returns the object that an unknown pointer points to: one of its own, or, by choice, one
// that a parameter of a unit points to.
func (w *world) target(name string, elem types.Type, made string) string {
	if made == "" {
		var same []string
		for _, id := range w.given {
			if id != name && types.Identical(w.infos[id].typ, elem) {
				same = append(same, id)
			}
		}
		if len(same) > 0 {
			if i := w.choose(name+" is", len(same)+1); i < len(same) {
				return same[i]
			}
		}
	}
	return w.named(name, elem, made)
}

// startEntry returns the entry of a map in the start state.
func (w *world) startEntry(o *object, key value) *entry {
	for _, e := range w.entries[o.base] {
		if w.equal(e.key, key) {
			return e
		}
	}
	key = w.root(key)
	name := o.base + "[" + key.text() + "]"
	e := &entry{key: key, present: !w.complete[o.base] && w.choose("has "+name, 2) == 1}
	if e.present {
		elem := elemOf(o.typ)
		e.val = w.unknown(name, elem, "", false)
		w.hasOneMore(o.base)
	}
	w.entries[o.base] = append(w.entries[o.base], e)
	return e
}

// hasOneMore notes that a map has an element more than was known.
func (w *world) hasOneMore(base string) {
	n := int64(0)
	for _, e := range w.entries[base] {
		if e.present {
			n++
		}
	}
	w.atLeast("len("+base+")", n+1)
}

// elemOf returns the type of the elements of a map; those of a sync.Map are any.
func elemOf(t types.Type) types.Type {
	if t != nil {
		if m, ok := t.Underlying().(*types.Map); ok {
			return m.Elem()
		}
	}
	return types.NewInterfaceType(nil, nil)
}
