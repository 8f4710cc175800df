package interleave

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
)

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
