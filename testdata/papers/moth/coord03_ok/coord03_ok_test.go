package coord03ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) { Run() }

func TestMixedPair(t *testing.T) {
	c := new(coord)
	wait := atPause(t, func() { t1(c, 7) })
	x, y := t3(c)
	wait()
	if x != 0 || y != 0 {
		t.Errorf("t3 = %d, %d; want 0, 0", x, y)
	}
	if x, y := t4(c); x != 7 || y != 7 {
		t.Errorf("t4 = %d, %d; want 7, 7", x, y)
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
