package allocatevector

import (
	"sync/atomic"
	"testing"
	"time"
)

// during runs unit and, the first time that unit pauses, other in a second
// goroutine. It waits for both and tells whether other could finish while unit
// was paused.
func during(unit, other func()) (between bool) {
	var calls atomic.Int32
	done := make(chan struct{})
	pause = func() {
		if calls.Add(1) != 1 {
			return
		}
		go func() {
			defer close(done)
			other()
		}()
		select {
		case <-done:
			between = true
		case <-time.After(10 * time.Second):
		}
	}
	defer func() { pause = func() {} }()
	unit()
	<-done
	return between
}

// caught returns what f panics with, nil if it does not.
func caught(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

func TestRun(t *testing.T) { Run() }

// AV1
func TestAllocateTwice(t *testing.T) {
	v := NewAllocationVector(2)
	var first any
	var second error
	between := during(
		func() { first = caught(func() { v.Allocate() }) },
		func() { _, second = v.Allocate() })
	if !between || first != errAllocated || second != nil {
		t.Errorf("between = %v, the first client panicked with %v, the second got %v; want %v and nil", between, first, second, errAllocated)
	}
}

// AV1
func TestClientEndsWithPanic(t *testing.T) {
	v := NewAllocationVector(2)
	var first, second error
	between := during(
		func() { first = client(v, 1) },
		func() { _, second = v.Allocate() })
	if !between || first != errAllocated || second != nil {
		t.Errorf("between = %v, the clients got %v and %v; want %v and nil", between, first, second, errAllocated)
	}
}

func TestFreeBlockIsNotReleased(t *testing.T) {
	v := NewAllocationVector(1)
	if r := caught(func() { v.MarkFree(0) }); r != errFreed {
		t.Errorf("panic with %v, want %v", r, errFreed)
	}
}

func TestClientGivesBackItsOwn(t *testing.T) {
	v := NewAllocationVector(4)
	if err := client(v, 4); err != nil {
		t.Error(err)
	}
	if err := client(v, 5); err != errFull {
		t.Errorf("err = %v, want %v", err, errFull)
	}
	if v.FreeBlock() != 0 {
		t.Error("block 0 is not free")
	}
}
