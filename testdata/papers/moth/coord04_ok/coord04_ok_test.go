package coord04ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) { Run() }

func TestSwapInReset(t *testing.T) {
	c := &coord{x: 1, y: 2}
	wait := atPause(t, c.swap)
	c.reset()
	wait()
	if c.x != 0 || c.y != 0 {
		t.Errorf("after reset %d, %d; want 0, 0", c.x, c.y)
	}
}

// atPause starts f, in a goroutine of its own, at the first pause, where f has
// to wait for the critical section to end. The function returned waits for f.
func atPause(t *testing.T, f func()) (wait func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	done := make(chan struct{})
	pause = func() {
		pause = func() {} // f itself may pause
		go func() { defer close(done); f() }()
		select {
		case <-done:
			t.Error("the other goroutine came between")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return func() { <-done }
}
