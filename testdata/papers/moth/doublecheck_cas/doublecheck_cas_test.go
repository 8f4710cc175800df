package doublecheckcas

import (
	"sync/atomic"
	"testing"
)

func TestRun(t *testing.T) { Run() }

func TestRetry(t *testing.T) {
	shared := new(atomic.Int64)
	atPause(t, func() { step(shared) })
	if n := step(shared); n != 2 || shared.Load() != 2 {
		t.Errorf("%d tries, value %d; want 2 tries, value 2", n, shared.Load())
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
