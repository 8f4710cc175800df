// Package vector_ok is the example of section 2 of the Empire paper, the
// constructor of java.util.Vector that copies a collection, put right: NewVecFrom
// holds the source's lock from the length to the elements, so that both belong to
// the same state of the source, whichever of them Clear writes first.
package vector_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A Vec is a vector that may be shared.
type Vec struct {
	mu sync.RWMutex
	//atomvet:set elements
	count int
	//atomvet:set elements
	data []any
}

// NewVecFrom returns a copy of c, with some room to grow.
//
//atomvet:unitfor c
//atomvet:unit
func NewVecFrom(c *Vec) *Vec {
	c.mu.RLock()
	defer c.mu.RUnlock()
	n := c.lenLocked()
	data := make([]any, n+n/10)
	pause()
	c.copyToLocked(data)
	return &Vec{count: n, data: data}
}

func (v *Vec) lenLocked() int { return v.count }

func (v *Vec) copyToLocked(dst []any) { copy(dst, v.data) }

// Len returns the number of elements.
func (v *Vec) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.lenLocked()
}

// CopyTo copies the elements to dst.
func (v *Vec) CopyTo(dst []any) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	v.copyToLocked(dst)
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
	defer v.mu.Unlock()
	v.count = 0
	v.data = nil
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
