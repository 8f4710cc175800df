// Package allocatevectorok is the vector of allocatevector with the search for a
// free block and its marking in one critical section.
//
// No violation: the block that Allocate marks is free.
package allocatevectorok

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

// freeBlock returns the first free block, -1 if there is none. It is called with
// the lock.
func (v *AllocationVector) freeBlock() int {
	for i, b := range v.blocks {
		if b == isFree {
			return i
		}
	}
	return -1
}

// markAllocated marks a block that was found free. It panics if the block is not.
// It is called with the lock.
func (v *AllocationVector) markAllocated(i int) {
	if v.blocks[i] == isAllocated {
		panic(errAllocated)
	}
	v.blocks[i] = isAllocated
}

// Allocate takes a free block. The error is for a full vector only.
func (v *AllocationVector) Allocate() (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := v.freeBlock()
	if i < 0 {
		return i, errFull
	}
	pause()
	v.markAllocated(i)
	return i, nil
}

// MarkFree gives a block back. It panics if the block is free.
func (v *AllocationVector) MarkFree(i int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.blocks[i] != isAllocated {
		panic(errFreed)
	}
	v.blocks[i] = isFree
}

// client allocates n blocks and gives them back. Giving them back is right as
// long as the blocks are its own. A panic ends the client, not the program.
func client(v *AllocationVector, n int) (failed error) {
	defer func() {
		if r := recover(); r != nil {
			failed = r.(error)
		}
	}()
	var own []int
	for range n {
		i, err := v.Allocate()
		if err != nil {
			failed = err
			break
		}
		own = append(own, i)
	}
	for _, i := range own {
		v.MarkFree(i)
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
