// Package allocvector is Test of Empire's Table 2 (the AllocationVector of
// ConTest): it hands out the blocks of a vector. Allocate finds a free block in
// one critical section and marks it in the next.
//
// AV1: Allocate. FindFree; Allocate of another goroutine; MarkAllocated: both get
// the same block.
package allocvector

import (
	"sync"
	"sync/atomic"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

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
	i := v.FindFree() // AV1: the first access
	pause()
	if i >= 0 {
		v.MarkAllocated(i) // want `^R\(a\) W'\(a\) W\(a\): \(\*Vector\)\.Allocate is not .*, if another \(\*Vector\)\.Allocate comes`
	}
	return i
}

// Run allocates and frees blocks and returns how many were freed twice.
func Run() int {
	v := &Vector{state: []byte{free, free, free, free}}
	var shared atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2000 {
				// A block that somebody else has freed had two owners.
				if i := v.Allocate(); i >= 0 && !v.MarkFree(i) {
					shared.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return int(shared.Load())
}
