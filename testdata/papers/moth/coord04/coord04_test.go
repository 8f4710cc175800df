package coord04

import "testing"

func TestRun(t *testing.T) { Run() }

func TestSwapInReset(t *testing.T) {
	c := &coord{x: 1, y: 2}
	atPause(t, c.swap)
	c.reset()
	if c.x != 2 || c.y != 0 {
		t.Errorf("after reset %d, %d; want 2, 0, which escaped", c.x, c.y)
	}
}

// atPause lets f run to its end, in a goroutine of its own, at the first pause.
func atPause(t *testing.T, f func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	pause = func() {
		pause = func() {} // f itself may pause
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		<-done
	}
}
