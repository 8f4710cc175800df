package localclosure

import "testing"

func TestRun(t *testing.T) { Run() }

func TestLostUpdate(t *testing.T) {
	c := new(cell)
	atPause(t, func() { increment(c) })
	increment(c)
	if c.n != 1 {
		t.Errorf("n = %d after two increments; want 1, one of them lost", c.n)
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
