// Allocvector_ok hands out the blocks of a vector. Allocate holds the lock from
// the search to the mark, so a block that it finds free is free when it is
// marked.
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

func (v *Vector) findFreeLocked() int {
	for i, s := range v.state {
		if s == free {
			return i
		}
	}
	return -1
}

func (v *Vector) markAllocatedLocked(i int) {
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
	v.mu.Lock()
	defer v.mu.Unlock()
	i := v.findFreeLocked()
	if i >= 0 {
		v.markAllocatedLocked(i)
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
