package storeerror

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

func TestRun(t *testing.T) { Run() }

// AV1
func TestOrderIsGone(t *testing.T) {
	s := NewStore()
	s.Buy(0, 1)
	var first, second error
	between := during(
		func() { _, first = work(s) },
		func() { _, second = work(s) })
	if !between || first != errNoOrder || second != nil {
		t.Errorf("between = %v, the workers got %v and %v; want %v and nil", between, first, second, errNoOrder)
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
