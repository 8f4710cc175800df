package atomvetrt

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
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
	case pkg == "sync" || pkg == "time" || strings.HasPrefix(pkg, "internal/"):
		d.out.WriteString("…")
		return
	case pkg == "sync/atomic":
		d.value(v.FieldByName("v"), depth)
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

func (d *dumper) entries(v reflect.Value, depth int) {
	var list []string
	for _, k := range v.MapKeys() {
		e := dumper{seen: d.seen}
		e.value(k, depth+1)
		e.out.WriteString(":")
		e.value(v.MapIndex(k), depth+1)
		list = append(list, e.out.String())
	}
	slices.Sort(list)
	d.out.WriteString("map[" + strings.Join(list, " ") + "]")
}
