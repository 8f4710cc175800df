// Package vectordata_ok is the example of section 2 of the Empire paper, the
// constructor of java.util.Vector that copies a collection, put right: the source
// gives its length and its elements in one critical section of its own, so that
// NewVecFrom need not know its lock. Clear writes the elements first and the count
// last.
package vectordata_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A Collection is what a vector can be made from.
type Collection interface {
	Snapshot() (n int, data []any)
}

// A Vec is a vector that may be shared.
type Vec struct {
	mu    sync.RWMutex
	count int   //atomvet:set elements
	data  []any //atomvet:set elements
}

// NewVecFrom returns a copy of c.
//
//atomvet:unitfor c
//atomvet:unit
func NewVecFrom(c Collection) *Vec {
	n, data := c.Snapshot()
	return &Vec{count: n, data: data}
}

// Snapshot returns the length and a copy of the elements, with some room to grow.
func (v *Vec) Snapshot() (n int, data []any) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	n = v.count
	data = make([]any, n+n/10)
	pause()
	copy(data, v.data)
	return n, data
}

// Len returns the number of elements.
func (v *Vec) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.count
}

// Get returns element i.
func (v *Vec) Get(i int) any {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.data[i]
}

// Clear removes all elements.
func (v *Vec) Clear() {
	v.mu.Lock()
	v.data = nil
	v.count = 0
	v.mu.Unlock()
}

// round reports whether all elements of the copy are there.
func round(elems []any) bool {
	v := &Vec{count: len(elems), data: elems}
	var wg sync.WaitGroup
	wg.Go(v.Clear)
	w := NewVecFrom(v)
	wg.Wait()
	return w.Len() == 0 || w.Get(w.Len()-1) != nil
}

// Run returns how many copies miss elements.
func Run() int {
	elems := make([]any, 500)
	for i := range elems {
		elems[i] = i
	}
	damaged := 0
	for range 200 {
		if !round(elems) {
			damaged++
		}
	}
	return damaged
}
