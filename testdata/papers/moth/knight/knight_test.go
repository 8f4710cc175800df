package knight

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
func TestShorterWayIsLost(t *testing.T) {
	b := NewBoard(point{2, 2})
	between := during(
		func() { b.solve(b.prey, 5) },
		func() { b.solve(b.prey, 2) })
	if got := b.Solution(b.prey); !between || got != 5 {
		t.Errorf("between = %v, %d moves to the prey; want the 2 overwritten by 5", between, got)
	}
}
