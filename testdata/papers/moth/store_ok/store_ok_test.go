package storeok

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
		case <-time.After(50 * time.Millisecond):
		}
	}
	defer func() { pause = func() {} }()
	unit()
	<-done
	return between
}

func TestRun(t *testing.T) { Run() }

func TestOrderIsThere(t *testing.T) {
	s := NewStore()
	s.Buy(0, 1)
	var first, second bool
	between := during(
		func() { first = work(s) },
		func() { second = work(s) })
	if between || !first || second {
		t.Errorf("between = %v, the workers have treated: %v and %v; want true and false", between, first, second)
	}
}

func TestHalfASupplyIsNotSeen(t *testing.T) {
	s := NewStore()
	seen := false
	var err error
	between := during(
		func() { s.Supply(0, 1) },
		func() {
			seen = s.IsConsistent(0)
			err = s.Supply(0, 1)
		})
	if between || !seen || err != nil {
		t.Errorf("between = %v, consistent = %v, err = %v; want true and nil", between, seen, err)
	}
}

func TestSoldAfterSupply(t *testing.T) {
	s := NewStore()
	s.Buy(0, 1)
	between := during(
		func() { s.Supply(0, 1) },
		func() { work(s) })
	if want := (product{number: 0, soldOut: true}); between || s.products[0] != want {
		t.Errorf("between = %v, product = %+v, want %+v", between, s.products[0], want)
	}
}

func TestRunDoesNotFail(t *testing.T) {
	s, failed := Run()
	for _, err := range failed {
		if err != nil {
			t.Error(err)
		}
	}
	left := 0
	for p := range s.products {
		if !s.IsConsistent(p) {
			t.Errorf("product %d is inconsistent", p)
		}
		left += s.products[p].number
	}
	if len(s.orders) != 0 || s.sold+left != 180 {
		t.Errorf("%d orders left, %d sold, %d there; want none left and 180 in all", len(s.orders), s.sold, left)
	}
}
