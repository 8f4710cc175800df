package interleave

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

const less = token.LSS

// content names what a slice has.
func (t *thread) content(s slice) string {
	o := t.r.object(s.obj)
	var b strings.Builder
	b.WriteString(o.base + "{")
	for _, p := range slices.Sorted(slices.Values(o.paths)) {
		if strings.HasPrefix(p, "[") && (o.cells[p].written || o.base == "") {
			b.WriteString(p + ":" + t.textOf(o.cells[p].val, 1) + " ")
		}
	}
	b.WriteString("}")
	if o.base != "" || !s.off.isConst() || s.off.c != 0 {
		b.WriteString(t.r.w.normal(s.off).text() + "+" + t.r.w.normal(s.n).text())
	}
	return b.String()
}

// derive makes an object that begins with the content of another one.
func (t *thread) derive(s slice, typ types.Type) (*object, slice) {
	from := t.r.object(s.obj)
	o := t.r.alloc(t, typ, "slice")
	o.base = from.base
	o.paths = slices.Clone(from.paths)
	for p, c := range from.cells {
		copied := *c
		o.cells[p] = &copied
	}
	if idx := t.r.w.indexes[from.nameOf()]; o.base == "" && len(idx) > 0 {
		t.r.w.indexes[o.nameOf()] = slices.Clone(idx)
	}
	return o, slice{obj: o.id, off: s.off, n: s.n}
}

// append is as if it always copied.
func (t *thread) append(to, more value, typ types.Type) value {
	base, ok := to.(slice)
	if !ok {
		base = slice{obj: t.r.alloc(t, typ, "slice").id}
	}
	if isNull(more) {
		return to
	}
	add, ok := more.(slice)
	if !ok { // a string
		o := t.r.alloc(t, typ, "slice")
		o.base = "append(" + t.content(base) + ", " + more.text() + ")"
		n := "len(" + o.base + ")"
		t.r.w.atLeast(n, 0)
		return slice{obj: o.id, n: variable(n)}
	}
	n := t.r.w.normal(add.n)
	if n.isConst() && n.c <= 8 {
		o, s := t.derive(base, typ)
		elem := typ.Underlying().(*types.Slice).Elem()
		for i := range n.c {
			v := t.r.load(t, t.element(add, integer(i)), elem)
			t.r.store(t, t.element(s, s.n.plus(integer(i), 1)), elem, v)
		}
		s.n = s.n.plus(n, 1)
		s.obj = o.id
		return s
	}
	o := t.r.alloc(t, typ, "slice")
	o.base = "append(" + t.content(base) + ", " + t.content(add) + ")"
	return slice{obj: o.id, n: base.n.plus(add.n, 1)}
}

// element returns the address of an element.
func (t *thread) element(s slice, i number) pointer {
	return pointer{obj: s.obj, path: t.r.at(t.r.object(s.obj).nameOf(), "", s.off.plus(i, 1))}
}

func (t *thread) copy(to, from value) value {
	dst, ok := to.(slice)
	src, ok2 := from.(slice)
	if !ok || !ok2 {
		if isNull(to) || isNull(from) {
			return integer(0)
		}
		panic(abort{unmodelled, "copy"})
	}
	if !t.r.w.mustBe(dst.n, src.n) || !t.r.w.mustBe(dst.off, src.off) || t.r.object(dst.obj).isShared() {
		panic(abort{unmodelled, "copy"})
	}
	o, s := t.derive(src, t.r.object(src.obj).typ)
	old := t.r.object(dst.obj)
	old.base, old.cells, old.paths = o.base, o.cells, o.paths
	if o.base == "" {
		t.r.w.indexes[old.nameOf()] = t.r.w.indexes[o.nameOf()]
	}
	return s.n
}

// slice is a slice expression.
func (t *thread) slice(f *frame, instr *ssa.Slice, x value) value {
	at := func(v ssa.Value, or number) number {
		if v == nil {
			return or
		}
		return t.number(f.get(t.r, v))
	}
	switch x := x.(type) {
	case slice:
		low := at(instr.Low, integer(0))
		high := at(instr.High, x.n)
		return slice{obj: x.obj, off: x.off.plus(low, 1), n: high.plus(low, -1)}
	case pointer:
		a, ok := ssautil.Deref(instr.X.Type()).Underlying().(*types.Array)
		if !ok || x.path != "" {
			panic(abort{unmodelled, "a slice of an array"})
		}
		low := at(instr.Low, integer(0))
		high := at(instr.High, integer(a.Len()))
		return slice{obj: x.obj, off: low, n: high.plus(low, -1)}
	case null:
		return x
	}
	args := []value{x}
	for _, v := range []ssa.Value{instr.Low, instr.High} {
		if v == nil {
			args = append(args, nil)
		} else {
			args = append(args, f.get(t.r, v))
		}
	}
	return t.r.apply("slice", instr.Type(), args...)
}

func (t *thread) rangeOver(f *frame, instr *ssa.Range, x value) {
	it := &iterator{}
	switch x := x.(type) {
	case pointer:
		it.obj = x.obj
		t.r.at1(instr)
		it.keys = t.r.keys(t, t.r.object(x.obj))
	case null:
	default:
		panic(abort{unmodelled, "range over a string"})
	}
	f.env[instr] = it
}

// nextOf moves an iterator. Elements that were deleted meanwhile are skipped.
func (t *thread) nextOf(f *frame, instr *ssa.Next, x value) {
	it := x.(*iterator)
	types := instr.Type().(*types.Tuple)
	for it.next < len(it.keys) {
		key := it.keys[it.next]
		it.next++
		if v, ok := t.r.get(t, t.r.object(it.obj), key); ok {
			f.env[instr] = tuple{boolean(true), key, v}
			return
		}
	}
	f.env[instr] = tuple{boolean(false), t.zeroResult(types.At(1).Type()), t.zeroResult(types.At(2).Type())}
}

func (t *thread) zeroResult(typ types.Type) value {
	if b, ok := typ.(*types.Basic); ok && b.Kind() == types.Invalid {
		return null{}
	}
	return t.r.w.zero(typ)
}
