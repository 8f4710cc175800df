package storeindex

import (
	"runtime"
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
func TestOrderIsGone(t *testing.T) {
	s := NewStore()
	s.Buy(0, 1)
	var first any
	var second bool
	between := during(
		func() { first = caught(func() { work(s) }) },
		func() { second = work(s) })
	if _, ok := first.(runtime.Error); !between || !ok || !second {
		t.Errorf("between = %v, the first worker panicked with %v, the second has treated: %v; want an index out of range and true", between, first, second)
	}
}

// AV1
func TestWorkerEndsWithPanic(t *testing.T) {
	s := NewStore()
	s.Buy(0, 1)
	var closed atomic.Bool
	closed.Store(true)
	var first, second error
	during(
		func() { first = worker(s, &closed) },
		func() { second = worker(s, &closed) })
	if _, ok := first.(runtime.Error); !ok || second != nil {
		t.Errorf("the workers got %v and %v; want an index out of range and nil", first, second)
	}
}

// AV2
func TestHalfASupplyIsSeen(t *testing.T) {
	s := NewStore()
	seen := true
	var err error
	between := during(
		func() { s.Supply(0, 1) },
		func() {
			seen = s.IsConsistent(0)
			err = s.Supply(0, 1)
		})
	if !between || seen || err != errInconsistent {
		t.Errorf("between = %v, consistent = %v, err = %v; want false and %v", between, seen, err, errInconsistent)
	}
}

// AV2
func TestSoldWhileSupplied(t *testing.T) {
	s := NewStore()
	s.Buy(0, 1)
	between := during(
		func() { s.Supply(0, 1) },
		func() { work(s) })
	if want := (product{number: 0, soldOut: false}); !between || s.products[0] != want {
		t.Errorf("between = %v, product = %+v, want %+v", between, s.products[0], want)
	}
}
