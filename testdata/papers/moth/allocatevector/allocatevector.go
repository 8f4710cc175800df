// Package allocatevector is Allocate Vector of the MoTH paper, from the ConTest
// repository: two clients allocate the free blocks of one vector.
//
// AV1, FreeBlock and MarkAllocated in Allocate: a block that one client has
// found free is marked by the other one before the first marks it. The first
// client panics with "allocation of an already allocated block" although the
// vector has free blocks.
//
// A client gives back its own blocks only, so that nothing can come between the
// marking of a block and its release.
package allocatevector

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

// MarkAllocated marks a block that was found free. It panics if the block is not.
func (v *AllocationVector) MarkAllocated(i int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.blocks[i] == isAllocated {
		panic(errAllocated)
	}
	v.blocks[i] = isAllocated
}

// Allocate takes a free block. The error is for a full vector only.
func (v *AllocationVector) Allocate() (int, error) {
	i := v.FreeBlock() // AV1: the read
	if i < 0 {
		return i, errFull
	}
	pause()
	v.MarkAllocated(i) // AV1: the write
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
