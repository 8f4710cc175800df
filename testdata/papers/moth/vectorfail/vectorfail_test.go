package vectorfail

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
func TestBoundsOfTwoPairs(t *testing.T) {
	v := &Vector{first: 1, second: 2}
	var low, high int
	between := during(
		func() { low, high = bounds(v) },
		func() { v.Set(5, 10) })
	if !between || low != 5 || high != 2 {
		t.Errorf("between = %v, bounds = %d, %d; want 5, 2", between, low, high)
	}
}
