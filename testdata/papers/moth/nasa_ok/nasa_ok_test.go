package nasaok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) { Run() }

func TestUnnoticedLoss(t *testing.T) {
	a := new(agent)
	ok := true
	wait := atPause(t, func() {
		destroy(a)
		ok = daemon(a, 3)
	})
	task(a, 7)
	wait()
	if ok {
		t.Error("the daemon didn't notice the loss of the property")
	}
}

// destroy is a fault of the system.
func destroy(a *agent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state[property] = 0
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
