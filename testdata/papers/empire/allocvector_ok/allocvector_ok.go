// Package allocvector_ok is Test of Empire's Table 2 (the AllocationVector of
// ConTest) put right: Allocate holds the lock from the search to the mark, so a
// block that it finds free is free when it is marked.
package allocvector_ok

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
	pause()
	if i >= 0 {
		v.markAllocatedLocked(i)
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
