package underreportingok

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

func TestDoubleIsKept(t *testing.T) {
	c := &Counter{i: 1}
	between := during(c.Double, c.Double)
	if got := c.Inc(0); between || got != 4 {
		t.Errorf("between = %v, 1 doubled twice = %d, want 4", between, got)
	}
}
