package atomvetrt

import "unsafe"

// A location is the memory of an access.
type location struct {
	p    unsafe.Pointer // keeps the object alive
	size uintptr
	// lo and hi delimit the elements of a slice that p holds.
	lo, hi uintptr
	// base identifies the map that p holds, and key the element, if hasKey.
	base   unsafe.Pointer
	key    any
	hasKey bool
	// content is set for an access through a method of another package's type, which may or
	// may not change the memory.
	content bool
}

// overlaps reports whether an access to b concerns what is at a.
func (a *location) overlaps(b *location) bool {
	if a.base != nil && a.base == b.base {
		return !a.hasKey || !b.hasKey || a.key == b.key
	}
	if b.hasKey && b.base != nil {
		return false // an element of another map
	}
	x, y := uintptr(a.p), uintptr(b.p)
	if y < x+max(a.size, 1) && x < y+max(b.size, 1) {
		return true
	}
	return a.lo <= y && y < a.hi
}

// R and W stand for the address of a variable that is read or written.
func R[T any](p *T, site int) *T {
	if on {
		plain(unsafe.Pointer(p), unsafe.Sizeof(*p), site, false)
	}
	return p
}

func W[T any](p *T, site int) *T {
	if on {
		plain(unsafe.Pointer(p), unsafe.Sizeof(*p), site, true)
	}
	return p
}

func plain(p unsafe.Pointer, size uintptr, site int, write bool) {
	event(current(), location{p: p, size: size}, site, write)
}

// C stands for the address of a variable of a type of another package, whose method or which a
// function is called with. CP is the same for a variable that points there.
func C[T any](p *T, site int) *T {
	if on {
		event(current(), location{p: unsafe.Pointer(p), size: unsafe.Sizeof(*p), content: true}, site, false)
	}
	return p
}

func CP[T any](p **T, site int) **T {
	if on {
		plain(unsafe.Pointer(p), unsafe.Sizeof(*p), site, false)
		if *p != nil {
			event(current(), location{p: unsafe.Pointer(*p), size: unsafe.Sizeof(**p), content: true}, site, false)
		}
	}
	return p
}

// SR and SW stand for the address of a slice that is read as a whole, or whose elements are
// overwritten.
func SR[S ~[]E, E any](p *S, site int) *S {
	if on {
		event(current(), sliceAt(p), site, false)
	}
	return p
}

func SW[S ~[]E, E any](p *S, site int) *S {
	if on {
		l := sliceAt(p)
		if s := *p; cap(s) > 0 {
			l.p, l.size = unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(s[0])
		}
		event(current(), l, site, true)
	}
	return p
}

func sliceAt[S ~[]E, E any](p *S) location {
	l := location{p: unsafe.Pointer(p), size: unsafe.Sizeof(*p)}
	if s := *p; cap(s) > 0 {
		var e E
		l.lo = uintptr(unsafe.Pointer(unsafe.SliceData(s)))
		l.hi = l.lo + uintptr(len(s))*unsafe.Sizeof(e)
	}
	return l
}

// MR and MW are the same for maps.
func MR[M ~map[K]V, K comparable, V any](p *M, site int) *M {
	if on {
		event(current(), mapAt(unsafe.Pointer(p)), site, false)
	}
	return p
}

func MW[M ~map[K]V, K comparable, V any](p *M, site int) *M {
	if on {
		event(current(), mapAt(unsafe.Pointer(p)), site, true)
	}
	return p
}

func mapAt(p unsafe.Pointer) location {
	return location{p: p, size: unsafe.Sizeof(p), base: *(*unsafe.Pointer)(p)}
}

// An element is an access to an element, whose index or key is evaluated next.
type element struct {
	l     location
	site  int
	write bool
	// size is that of an element of a slice, 0 for a map.
	size uintptr
	cas  bool
}

// SER, SEW, MER and MEW stand for the address of a container an element of which is read or
// written; a call of K with the index or key follows.
func SER[S ~[]E, E any](p *S, site int) *S { return sliceElement(p, site, false) }
func SEW[S ~[]E, E any](p *S, site int) *S { return sliceElement(p, site, true) }

func sliceElement[S ~[]E, E any](p *S, site int, write bool) *S {
	if on {
		var e E
		current().elem = element{l: sliceAt(p), site: site, write: write, size: max(unsafe.Sizeof(e), 1)}
	}
	return p
}

func MER[M ~map[K]V, K comparable, V any](p *M, site int) *M { return mapElement(p, site, false) }
func MEW[M ~map[K]V, K comparable, V any](p *M, site int) *M { return mapElement(p, site, true) }

func mapElement[M any](p *M, site int, write bool) *M {
	if on {
		current().elem = element{l: mapAt(unsafe.Pointer(p)), site: site, write: write}
	}
	return p
}

// YER and YEW are the same for a sync.Map.
func YER[M any](p *M, site int) *M { return syncElement(p, site, false) }
func YEW[M any](p *M, site int) *M { return syncElement(p, site, true) }

func syncElement[M any](p *M, site int, write bool) *M {
	if on {
		current().elem = element{l: location{p: unsafe.Pointer(p), size: unsafe.Sizeof(*p), base: unsafe.Pointer(p)}, site: site, write: write}
	}
	return p
}

// K completes the access to an element.
func K[T any](k T, site int) T {
	if !on {
		return k
	}
	g := current()
	e := g.elem
	g.elem = element{}
	if e.l.p == nil || e.site != site {
		return k
	}
	if e.size > 0 {
		if i, ok := index(any(k)); ok && e.l.lo+i*e.size < e.l.hi {
			e.l.lo += i * e.size
			e.l.hi = e.l.lo + e.size
		}
		if e.write {
			// The write is to the element, and not to the variable that has the slice.
			e.l.p, e.l.size = unsafe.Add(*(*unsafe.Pointer)(e.l.p), e.l.lo-uintptr(*(*unsafe.Pointer)(e.l.p))), e.l.hi-e.l.lo
			e.l.lo, e.l.hi = 0, 0
		}
	} else if isComparable(any(k)) {
		e.l.key, e.l.hasKey = any(k), true
	}
	event(g, e.l, e.site, e.write)
	return k
}

func index(k any) (uintptr, bool) {
	switch k := k.(type) {
	case int:
		return uintptr(k), k >= 0
	case uint:
		return uintptr(k), true
	case int32:
		return uintptr(k), k >= 0
	case uint32:
		return uintptr(k), true
	case int64:
		return uintptr(k), k >= 0
	case uint64:
		return uintptr(k), true
	case uint8:
		return uintptr(k), true
	case uint16:
		return uintptr(k), true
	}
	return 0, false
}

// isComparable reports whether a value can be a key: one of an interface type may be none.
func isComparable(k any) (ok bool) {
	defer func() { recover() }()
	return k == k
}

// CAS stands for the address of an atomic variable that is compared and swapped, and CASResult
// for the result: one that fails is no write.
func CAS[T any](p *T, site int) *T {
	if on {
		current().elem = element{l: location{p: unsafe.Pointer(p), size: unsafe.Sizeof(*p)}, site: site, cas: true}
	}
	return p
}

func CASResult(ok bool, site int) bool {
	if on {
		g := current()
		if e := g.elem; e.cas && e.site == site {
			g.elem = element{}
			event(g, e.l, site, ok)
		}
	}
	return ok
}
