package localifaceok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) { Run() }

func TestLostUpdate(t *testing.T) {
	c := new(cell)
	wait := atPause(t, func() { increment(c) })
	increment(c)
	wait()
	if c.n != 2 {
		t.Errorf("n = %d after two increments; want 2", c.n)
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
