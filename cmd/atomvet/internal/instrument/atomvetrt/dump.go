package atomvetrt

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// dump prints a value with all that it refers to. Locks, functions and times are left out, and
// pointers are numbered in the order in which they are met.
func dump(v any) string {
	d := dumper{seen: make(map[uintptr]int)}
	d.value(reflect.ValueOf(v), 0)
	return d.out.String()
}

type dumper struct {
	out  strings.Builder
	seen map[uintptr]int
}

// maxDepth bounds the references that are followed.
const maxDepth = 12

func (d *dumper) value(v reflect.Value, depth int) {
	if !v.IsValid() {
		d.out.WriteString("nil")
		return
	}
	if depth > maxDepth || d.out.Len() > maxDump {
		d.out.WriteString("…")
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		d.pointer(v, depth)
	case reflect.Interface:
		d.value(v.Elem(), depth+1)
	case reflect.Struct:
		d.fields(v, depth)
	case reflect.Slice, reflect.Array:
		d.out.WriteString("[")
		for i := range v.Len() {
			if i > 0 {
				d.out.WriteString(" ")
			}
			d.value(v.Index(i), depth+1)
		}
		d.out.WriteString("]")
	case reflect.Map:
		d.entries(v, depth)
	case reflect.Func, reflect.UnsafePointer:
		d.out.WriteString("…")
	case reflect.Chan:
		fmt.Fprintf(&d.out, "chan with %d", v.Len())
	case reflect.String:
		fmt.Fprintf(&d.out, "%q", v.String())
	default:
		fmt.Fprintf(&d.out, "%v", v)
	}
}

func (d *dumper) pointer(v reflect.Value, depth int) {
	if v.IsNil() {
		d.out.WriteString("nil")
		return
	}
	n, known := d.seen[v.Pointer()]
	if !known {
		n = len(d.seen) + 1
		d.seen[v.Pointer()] = n
	}
	fmt.Fprintf(&d.out, "&%d", n)
	if !known {
		d.value(v.Elem(), depth+1)
	}
}

func (d *dumper) fields(v reflect.Value, depth int) {
	switch pkg := v.Type().PkgPath(); {
	case v.Type() == reflect.TypeFor[sync.Map]() && v.CanAddr():
		d.syncMap((*sync.Map)(v.Addr().UnsafePointer()), depth)
		return
	case pkg == "sync" || pkg == "time" || strings.HasPrefix(pkg, "internal/"):
		d.out.WriteString("…")
		return
	case pkg == "sync/atomic":
		d.atomic(v, depth)
		return
	}
	d.out.WriteString("{")
	for i := range v.NumField() {
		if i > 0 {
			d.out.WriteString(" ")
		}
		d.out.WriteString(v.Type().Field(i).Name + ":")
		d.value(v.Field(i), depth+1)
	}
	d.out.WriteString("}")
}

// atomic prints what a variable of package sync/atomic has. The first field of a Pointer[T] is of the
// type [0]*T.
func (d *dumper) atomic(v reflect.Value, depth int) {
	x := v.FieldByName("v")
	if x.Kind() == reflect.UnsafePointer && v.Type().Field(0).Type.Kind() == reflect.Array {
		x = reflect.NewAt(v.Type().Field(0).Type.Elem().Elem(), x.UnsafePointer())
	}
	d.value(x, depth)
}

func (d *dumper) entries(v reflect.Value, depth int) {
	var list []entry
	for _, k := range v.MapKeys() {
		list = append(list, entry{k: k, v: v.MapIndex(k)})
	}
	d.sorted(list, depth)
}

func (d *dumper) syncMap(m *sync.Map, depth int) {
	var list []entry
	m.Range(func(k, v any) bool {
		list = append(list, entry{k: reflect.ValueOf(k), v: reflect.ValueOf(v)})
		return true
	})
	d.sorted(list, depth)
}

// An entry is one of a map, with the text of its key.
type entry struct {
	key  string
	k, v reflect.Value
}

// sorted prints the entries of a map in the order of their keys, in which pointers are numbered.
func (d *dumper) sorted(list []entry, depth int) {
	for i := range list {
		alone := dumper{seen: make(map[uintptr]int)}
		alone.value(list[i].k, depth+1)
		list[i].key = alone.out.String()
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	d.out.WriteString("map[")
	for i, e := range list {
		if i > 0 {
			d.out.WriteString(" ")
		}
		d.out.WriteString(e.key + ":")
		d.value(e.v, depth+1)
	}
	d.out.WriteString("]")
}
