package interleave

import (
	"go/constant"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// An object is memory in a run: of the start state, or made in the run.
type object struct {
	id  string
	typ types.Type
	// base names the cells that have not been written: those of the start state, or of what a
	// function without a body has made. An object that is made here has none, and zeros in them.
	base string
	// made names the call or the allocation that has made the object, "" in the start state.
	made  string
	cells map[string]*cell
	paths []string // of the cells, in the order of first use
	// entries are the elements of a map.
	entries []*element
}

type cell struct {
	val     value
	typ     types.Type
	field   *types.Var
	written bool
}

// An element is an entry of a map in a run.
type element struct {
	entry
	before, written bool // before says that the start state has it
}

// An info describes an object of the start state, or one that an unknown function has made.
type info struct {
	typ  types.Type
	made string
}

// object returns the object with an identifier.
func (r *run) object(id string) *object {
	o := r.objects[id]
	if o == nil {
		in := r.w.infos[id]
		o = &object{id: id, typ: in.typ, base: id, made: in.made, cells: make(map[string]*cell)}
		if in.made != "" {
			o.base = in.made // what was made alike has the same content
		}
		r.objects[id] = o
		r.order = append(r.order, id)
	}
	return o
}

// alloc makes a new object in a thread.
func (r *run) alloc(t *thread, typ types.Type, what string) *object {
	t.allocs++
	o := &object{
		id: what + "#" + strconv.Itoa(t.id) + "." + strconv.Itoa(t.allocs), typ: typ, made: what, cells: make(map[string]*cell),
	}
	r.objects[o.id] = o
	r.order = append(r.order, o.id)
	return o
}

// isShared reports whether an object is one of the start state.
func (o *object) isShared() bool { return o.made == "" }

// load reads a cell, or all cells of a structure.
func (r *run) load(t *thread, p pointer, typ types.Type) value {
	if st, ok := r.w.open(typ); ok {
		s := structure{typ: st, fields: make([]value, st.NumFields())}
		for i := range s.fields {
			if f := st.Field(i); isData(f.Type()) {
				s.fields[i] = r.load(t, pointer{p.obj, p.path + "." + f.Name(), f}, f.Type())
			}
		}
		return s
	}
	o := r.object(p.obj)
	if c := o.cells[p.path]; c != nil {
		r.accessed(t, o, p.path, false, c.val)
		return c.val
	}
	if _, ok := typ.Underlying().(*types.Array); ok && o.hasElements(p.path) {
		panic(abort{unmodelled, "an array as a value"})
	}
	v := r.w.zero(typ)
	if array, i, ok := o.within(p.path); ok {
		v = r.apply("index", typ, array, literal(i))
	} else if o.base != "" {
		v = r.w.start(o.base+p.path, typ, p.field)
	}
	o.put(p, &cell{v, typ, p.field, false})
	r.accessed(t, o, p.path, false, v)
	return v
}

// hasElements reports whether elements of the array at a path have cells of their own.
func (o *object) hasElements(path string) bool {
	return slices.ContainsFunc(o.paths, func(p string) bool { return strings.HasPrefix(p, path+"[") })
}

// within returns the array that an element is in, if that was stored as a value.
func (o *object) within(path string) (array value, index string, ok bool) {
	i := strings.LastIndexByte(path, '[')
	if i < 0 {
		return nil, "", false
	}
	c := o.cells[path[:i]]
	if c == nil {
		return nil, "", false
	}
	return c.val, path[i:], true
}

func (o *object) put(p pointer, c *cell) {
	if o.cells[p.path] == nil {
		o.paths = append(o.paths, p.path)
	}
	o.cells[p.path] = c
}

// store writes a cell, or all cells of a structure.
func (r *run) store(t *thread, p pointer, typ types.Type, v value) {
	o := r.object(p.obj)
	switch v := v.(type) {
	case structure:
		for i, x := range v.fields {
			if f := v.typ.Field(i); isData(f.Type()) {
				r.store(t, pointer{p.obj, p.path + "." + f.Name(), f}, f.Type(), x)
			}
		}
		return
	}
	if _, ok := typ.Underlying().(*types.Array); ok && o.hasElements(p.path) {
		panic(abort{unmodelled, "an array as a value"})
	}
	o.put(p, &cell{v, typ, p.field, true})
	r.accessed(t, o, p.path, true, v)
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

// at returns the path of the element of an array or a slice with a symbolic index.
func (r *run) at(id, path string, i number) string {
	place := id + path
	for _, k := range r.w.indexes[place] {
		if r.w.compare(eql, k, i) {
			return path + "[" + k.text() + "]"
		}
	}
	i = r.w.normal(i)
	r.w.indexes[place] = append(r.w.indexes[place], i)
	return path + "[" + i.text() + "]"
}

// find returns the entry of a map with a key, present or absent.
func (r *run) find(o *object, key value) *element {
	for _, e := range o.entries {
		if r.w.equal(e.key, key) {
			return e
		}
	}
	e := &element{entry: entry{key: key}}
	if o.base != "" {
		e.entry = *r.w.startEntry(o, key)
		e.before = e.present
	}
	o.entries = append(o.entries, e)
	return e
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

// set writes the entry of a map.
func (r *run) set(t *thread, o *object, key, v value, present bool) {
	e := r.find(o, key)
	if !present && !e.present {
		r.accessed(t, o, elementPath(e.key), false, nil)
		return // nothing is deleted
	}
	if e.present != present {
		r.accessed(t, o, lengthPath, true, nil)
	}
	e.val, e.present, e.written = v, present, true
	r.accessed(t, o, elementPath(e.key), true, v)
}

// get reads the entry of a map.
func (r *run) get(t *thread, o *object, key value) (value, bool) {
	e := r.find(o, key)
	r.accessed(t, o, elementPath(e.key), false, e.val)
	if !e.present {
		return nil, false
	}
	return e.val, true
}

const lengthPath = ".len"

func elementPath(key value) string { return "[" + key.text() + "]" }

// length returns the number of elements of a map.
func (r *run) length(t *thread, o *object) number {
	r.accessed(t, o, lengthPath, false, nil)
	n := number{}
	if o.base != "" {
		r.w.atLeast("len("+o.base+")", 0)
		n = variable("len(" + o.base + ")")
	}
	for _, e := range o.entries {
		if e.present {
			n.c++
		}
		if e.before {
			n.c--
		}
	}
	return r.w.normal(n)
}

// clearMap removes all elements.
func (r *run) clearMap(t *thread, o *object) {
	for _, e := range o.entries {
		if e.present {
			e.present, e.val, e.written = false, nil, true
			r.accessed(t, o, elementPath(e.key), true, nil)
		}
	}
	if o.base != "" && !r.w.complete[o.base] {
		panic(abort{unmodelled, "clear of a map with unknown elements"})
	}
}

// keys returns the keys of the elements, of which at most one more than was asked for.
func (r *run) keys(t *thread, o *object) []value {
	r.accessed(t, o, lengthPath, false, nil)
	if o.base != "" && !r.w.complete[o.base] {
		for _, e := range r.w.entries[o.base] {
			r.find(o, e.key)
		}
		m, ok := o.typ.Underlying().(*types.Map)
		if !ok {
			panic(abort{unmodelled, "range over a sync.Map"})
		}
		if key := r.w.unknown("some key of "+o.base, m.Key(), "", false); key != nil {
			r.find(o, key)
		}
		r.w.complete[o.base] = true
	}
	var out []value
	for _, e := range o.entries {
		if e.present {
			out = append(out, e.key)
		}
	}
	return out
}
