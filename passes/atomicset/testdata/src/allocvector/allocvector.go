// Allocvector hands out the blocks of a vector. Allocate finds a free block in
// one critical section and marks it in the next, so two goroutines may get the
// same block: R(state) W'(state) W(state) between two calls of Allocate.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

const (
	free      = 'F'
	allocated = 'A'
)

// A Vector knows which of its blocks are in use.
type Vector struct {
	mu    sync.Mutex
	state []byte //atomvet:set blocks
}

// FindFree returns the index of a free block, or -1.
//
//atomvet:notunit
func (v *Vector) FindFree() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, s := range v.state {
		if s == free {
			return i
		}
	}
	return -1
}

// MarkAllocated says that block i is in use.
//
//atomvet:notunit
func (v *Vector) MarkAllocated(i int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.state[i] = allocated
}

// MarkFree says that block i is no longer in use, and reports whether it was.
func (v *Vector) MarkFree(i int) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	used := v.state[i] == allocated
	v.state[i] = free
	return used
}

// Allocate returns a block that is the caller's from now on, or -1.
func (v *Vector) Allocate() int {
	i := v.FindFree()
	if i >= 0 {
		v.MarkAllocated(i) // want `^R\(a\) W'\(a\) W\(a\): \(\*Vector\)\.Allocate is not .*, if another \(\*Vector\)\.Allocate comes`
	}
	return i
}

func main() {
	v := &Vector{state: []byte{free, free, free, free}}
	var shared atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5000 {
				// A block that somebody else has freed had two owners.
				if i := v.Allocate(); i >= 0 && !v.MarkFree(i) {
					shared.Add(1)
				}
			}
		})
	}
	wg.Wait()
	fmt.Println("blocks freed twice:", shared.Load())
}
