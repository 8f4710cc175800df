// Package client uses package store, of which it knows no more than the facts.
package client

import (
	"sync"

	"store"
)

type Index struct {
	mu    sync.Mutex
	names *store.Names
	ids   *store.List[int]
	sizes store.Map
	span  *store.Span
	last  string
	total int
}

func (x *Index) Last() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := x.names.Len()
	if n == 0 {
		return ""
	}
	return x.names.Get(n - 1)
}

func (x *Index) Remember() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.names.Len() > 0 {
		x.last = x.names.Get(0)
	}
}

func (x *Index) LastOnce() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, _ := x.names.Last()
	return s
}

// The list may be asked beforehand, if the answer is checked.
func (x *Index) LastChecked() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.names.Len() == 0 {
		return ""
	}
	if s, ok := x.names.Last(); ok {
		return s
	}
	return "?"
}

func (x *Index) LastID() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := x.ids.Len()
	if n == 0 {
		return 0
	}
	return x.ids.Get(n - 1)
}

func (x *Index) Find(id int) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := 0; i < x.ids.Len(); i++ {
		if x.ids.Get(i) == id {
			return i
		}
	}
	return -1
}

// Get, then put, under one key.
func (x *Index) Grow(k string, n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	v, _ := x.sizes.Get(k)
	x.sizes.Put(k, v+n)
}

func (x *Index) GrowOnce(k string, n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sizes.Add(k, n)
}

func (x *Index) Init(k string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.sizes.Get(k); !ok {
		x.sizes.Put(k, 1)
	}
}

// Different keys.
func (x *Index) Copy(from, to string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	v, _ := x.sizes.Get(from)
	x.sizes.Put(to, v)
}

// The same key twice, by its name.
func (x *Index) Both() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	a, _ := x.sizes.Get("a")
	b, _ := x.sizes.Get("a")
	return b - a
}

func (x *Index) Sum() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	a, _ := x.sizes.Get("a")
	b, _ := x.sizes.Get("b")
	return a + b
}

// Two fields that go together.
func (x *Index) Size() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.span.To() - x.span.From()
}

func (x *Index) SizeOnce() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	from, to := x.span.Both()
	return to - from
}

// Through an interface of this package.
type list interface {
	Len() int
	Get(i int) string
}

func (x *Index) Tail(l list) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := l.Len()
	if n == 0 {
		return ""
	}
	return l.Get(n - 1)
}
