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
	return x.names.Get(n - 1) // want `reacquire: x\.names\.mu is taken again here, after line 23, in one critical section of x\.mu; what the first passage reads of x\.names\.items may be changed in between by \(\*Names\)\.Cut`
}

func (x *Index) Remember() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.names.Len() > 0 {
		x.last = x.names.Get(0) // want `reacquire: x\.names\.mu is taken again here, after line 33, in one critical section of x\.mu; what the first passage reads of x\.names\.items may be changed in between by \(\*Names\)\.Cut`
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
	return x.ids.Get(n - 1) // want `reacquire: x\.ids\.mu is taken again here, after line 61, in one critical section of x\.mu; what the first passage reads of x\.ids\.items may be changed in between by \(\*List\[T\]\)\.Add`
}

func (x *Index) Find(id int) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := 0; i < x.ids.Len(); i++ {
		if x.ids.Get(i) == id { // want `reacquire: x\.ids\.mu is taken again here, after line 71, in one critical section of x\.mu; what the first passage reads of x\.ids\.items may be changed in between by \(\*List\[T\]\)\.Add`
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
	x.sizes.Put(k, v+n) // want `reacquire: x\.sizes\.mu is taken again here, after line 83, in one critical section of x\.mu; what the first passage reads of x\.sizes\.m\[k\] may be changed in between by \(\*Index\)\.Forget`
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
		x.sizes.Put(k, 1) // want `reacquire: x\.sizes\.mu is taken again here, after line 96, in one critical section of x\.mu; what the first passage reads of x\.sizes\.m\[k\] may be changed in between by \(\*Index\)\.Forget`
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
	b, _ := x.sizes.Get("a") // want `reacquire: x\.sizes\.mu is taken again here, after line 113, in one critical section of x\.mu; what the first passage reads of x\.sizes\.m\["a"\] may be changed in between by \(\*Index\)\.Forget`
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
	return x.span.To() - x.span.From() // want `reacquire: x\.span\.mu is taken again here, after line 130, in one critical section of x\.mu; what the first passage reads of x\.span\.to may be changed in between by \(\*Span\)\.Move`
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
	return l.Get(n - 1) // want `reacquire: l\.mu is taken again here, after line 149, in one critical section of x\.mu; what the first passage reads of l\.items may be changed in between by \(\*Names\)\.Cut`
}

// Another user of the same map does without the lock.
func (x *Index) Forget(k string) { x.sizes.Delete(k) }
