// Package allocatevectorerror is the variant of allocatevector whose second step
// refuses with an error: two clients allocate the free blocks of one vector, and
// marking a block that is not free returns an error.
//
// AV1, FreeBlock and MarkAllocated in Allocate: a block that one client has
// found free is marked by the other one before the first marks it. The first
// client fails with "allocation of an already allocated block" although the
// vector has free blocks.
//
// A client gives back its own blocks only, so that nothing can come between the
// marking of a block and its release.
package allocatevectorerror

import (
	"errors"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

const (
	isFree      = 'F'
	isAllocated = 'A'
)

var (
	errAllocated = errors.New("allocation of an already allocated block")
	errFreed     = errors.New("release of a free block")
	errFull      = errors.New("no free block")
)

// An AllocationVector has the state of every block.
type AllocationVector struct {
	mu     sync.Mutex
	blocks []byte
}

// NewAllocationVector returns a vector of n free blocks.
func NewAllocationVector(n int) *AllocationVector {
	v := &AllocationVector{blocks: make([]byte, n)}
	for i := range v.blocks {
		v.blocks[i] = isFree
	}
	return v
}

// FreeBlock returns the first free block, -1 if there is none.
func (v *AllocationVector) FreeBlock() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, b := range v.blocks {
		if b == isFree {
			return i
		}
	}
	return -1
}

// MarkAllocated marks a block that was found free.
func (v *AllocationVector) MarkAllocated(i int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.blocks[i] == isAllocated {
		return errAllocated
	}
	v.blocks[i] = isAllocated
	return nil
}

// Allocate takes a free block.
func (v *AllocationVector) Allocate() (int, error) {
	i := v.FreeBlock() // AV1: the read
	if i < 0 {
		return i, errFull
	}
	pause()
	return i, v.MarkAllocated(i) // AV1: the write
}

// MarkFree gives a block back.
func (v *AllocationVector) MarkFree(i int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.blocks[i] != isAllocated {
		return errFreed
	}
	v.blocks[i] = isFree
	return nil
}

// client allocates n blocks and gives them back. Giving them back is right as
// long as the blocks are its own.
func client(v *AllocationVector, n int) error {
	var own []int
	var failed error
	for range n {
		i, err := v.Allocate()
		if err != nil {
			failed = err
			break
		}
		own = append(own, i)
	}
	for _, i := range own {
		if err := v.MarkFree(i); err != nil {
			failed = err
		}
	}
	return failed
}

// Run lets two clients share a vector that is large enough for both.
func Run() (failed [2]error) {
	v := NewAllocationVector(20)
	var wg sync.WaitGroup
	for c := range failed {
		wg.Go(func() { failed[c] = client(v, 10) })
	}
	wg.Wait()
	return failed
}
