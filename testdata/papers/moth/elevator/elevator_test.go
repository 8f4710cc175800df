package elevator

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

func TestEverybodyArrives(t *testing.T) {
	if got := Run(); got != 60 {
		t.Errorf("%d people arrived, want 60", got)
	}
}

func TestOneLiftForACall(t *testing.T) {
	var c Controls
	c.Push(1, 3)
	var first, second bool
	between := during(
		func() { first = c.claim(1, true) },
		func() { second = c.claim(1, true) })
	if !between || first || !second {
		t.Errorf("between = %v, claims: %v, %v; want the second one only", between, first, second)
	}
}

func TestClaimOfAnEmptyFloor(t *testing.T) {
	var c Controls
	c.Push(1, 3)
	var first bool
	during(
		func() { first = c.claim(1, true) },
		func() {
			c.claim(1, true)
			c.people(1, true)
		})
	if !first {
		t.Error("the floor was not claimed")
	}
	c.Push(1, 4)
	if !c.claim(1, true) {
		t.Error("the next call is not found")
	}
}

func TestPassedFloorIsFoundLater(t *testing.T) {
	var c Controls
	c.Push(3, 4)
	var n int
	between := during(
		func() { n, _, _ = c.find(0) },
		func() { c.Push(0, 1) })
	if !between || n != 3 {
		t.Errorf("between = %v, claimed floor %d; want 3", between, n)
	}
	if n, up, ok := c.find(5); n != 0 || !up || !ok {
		t.Errorf("then found %d, %v, %v; want 0 up", n, up, ok)
	}
}
