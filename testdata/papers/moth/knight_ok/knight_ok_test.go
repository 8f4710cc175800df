package knightok

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

func TestShorterWayIsKept(t *testing.T) {
	b := NewBoard(point{2, 2})
	between := during(
		func() { b.solve(b.prey, 5) },
		func() { b.solve(b.prey, 2) })
	if got := b.Solution(b.prey); between || got != 2 {
		t.Errorf("between = %v, %d moves to the prey, want 2", between, got)
	}
}

func TestShortestWay(t *testing.T) {
	for range 20 {
		if got := Run(); got != 4 {
			t.Fatalf("%d moves from corner to corner, want 4", got)
		}
	}
}
