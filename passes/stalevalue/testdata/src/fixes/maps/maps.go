// Package maps makes one operation of two on an element of a sync.Map.
package maps

import (
	"bytes"
	"sync"
)

type Registry struct{ m sync.Map }

func (r *Registry) Add(k string, v int) {
	if _, ok := r.m.Load(k); !ok {
		r.m.Store(k, v) // want `check-then-act`
	}
}

func (r *Registry) Buffer(k string) *bytes.Buffer {
	if b, ok := r.m.Load(k); ok {
		return b.(*bytes.Buffer)
	}
	b := new(bytes.Buffer)
	r.m.Store(k, b) // want `check-then-act`
	return b
}

func (r *Registry) Value(k string, create func() any) any {
	v, ok := r.m.Load(k)
	if !ok {
		v = create()
		r.m.Store(k, v) // want `check-then-act`
	}
	return v
}

func (r *Registry) Close(k string) {
	if v, ok := r.m.Load(k); ok {
		b := v.(*bytes.Buffer)
		r.m.Delete(k) // want `check-then-act`
		b.Reset()
	}
}

func (r *Registry) Advance(k string, f func()) {
	if v, _ := r.m.Load(k); v == 1 {
		r.m.Store(k, 2) // want `check-then-act`
		f()
	}
}

func (r *Registry) Replace(k string, b *bytes.Buffer) {
	if old, _ := r.m.Load(k); old != b {
		r.m.Store(k, b) // want `check-then-act`
		old.(*bytes.Buffer).Reset()
	}
}

func (r *Registry) Change(k string, v any, f func(old any)) {
	old, ok := r.m.Load(k)
	if ok && old == v {
		return
	}
	r.m.Store(k, v) // want `check-then-act`
	f(old)
}

// What follows has no fix.

func (r *Registry) update(k string, v int) {
	if _, ok := r.m.Load(k); ok {
		r.m.Store(k, v) // want `check-then-act`
	}
}

func (r *Registry) other(k string, next func() string, v int) {
	_, ok := r.m.Load(k)
	if !ok {
		if v == 0 {
			ok = true
		}
		if !ok {
			r.m.Store(k, v) // want `check-then-act`
		}
	}
}

func (r *Registry) interfaces(k string, old, new any) {
	if v, _ := r.m.Load(k); v == old {
		r.m.Store(k, new) // want `check-then-act`
	}
}

func (r *Registry) late(k string, f func()) {
	if v, ok := r.m.Load(k); ok {
		f()
		r.m.Delete(k) // want `check-then-act`
		v.(*bytes.Buffer).Reset()
	}
}

func (r *Registry) unlike(k string, v any, f func(old any)) {
	if old, _ := r.m.Load(k); old != v {
		r.m.Store(k, v) // want `check-then-act`
		f(old)
	}
}

func (r *Registry) either(k string, v any, f func(old any)) {
	old, ok := r.m.Load(k)
	if ok || old == v {
		return
	}
	r.m.Store(k, v) // want `check-then-act`
	f(old)
}
