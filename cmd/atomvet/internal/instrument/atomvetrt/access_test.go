package atomvetrt

import (
	"testing"
	"unsafe"
)

// TestOverlaps: which accesses concern the memory of a check.
func TestOverlaps(t *testing.T) {
	var s struct {
		n, other int
		m        map[string]int
		list     []int
	}
	s.m = map[string]int{}
	s.list = make([]int, 4)
	field := func(p unsafe.Pointer, size uintptr) location { return location{p: p, size: size} }
	n, whole := field(unsafe.Pointer(&s.n), 8), field(unsafe.Pointer(&s), unsafe.Sizeof(s))
	keyed := func(m map[string]int, key string) location {
		l := mapAt(unsafe.Pointer(&m))
		l.p, l.key, l.hasKey = unsafe.Pointer(&s.m), key, true
		return l
	}
	element := field(unsafe.Pointer(&s.list[2]), 8)
	beyond := field(unsafe.Add(unsafe.Pointer(&s.list[3]), 8), 8)
	for _, test := range []struct {
		what string
		a, b location
		want bool
	}{
		{"the same field", n, n, true},
		{"the field beside it", n, field(unsafe.Pointer(&s.other), 8), false},
		{"the whole struct", n, whole, true},
		{"the same key", keyed(s.m, "a"), keyed(s.m, "a"), true},
		{"another key", keyed(s.m, "a"), keyed(s.m, "b"), false},
		{"the map as a whole", keyed(s.m, "a"), mapAt(unsafe.Pointer(&s.m)), true},
		{"another map", keyed(s.m, "a"), keyed(map[string]int{}, "a"), false},
		{"the variable of the map", keyed(s.m, "a"), field(unsafe.Pointer(&s.m), 8), true},
		{"an element of the slice", sliceAt(&s.list), element, true},
		{"what is behind the slice", sliceAt(&s.list), beyond, false},
		{"the variable of the slice", sliceAt(&s.list), field(unsafe.Pointer(&s.list), 24), true},
	} {
		if got := test.a.overlaps(&test.b); got != test.want {
			t.Errorf("%s: overlaps is %v, want %v", test.what, got, test.want)
		}
	}
}
