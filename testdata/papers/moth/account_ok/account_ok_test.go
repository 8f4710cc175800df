package accountok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if b := Run(); b != 200 {
		t.Errorf("balance %d; want 200", b)
	}
}

func TestLostPayment(t *testing.T) {
	a := new(account)
	wait := atPause(t, func() { a.update(10) })
	a.update(5)
	wait()
	if b := a.getBalance(); b != 15 {
		t.Errorf("balance %d; want 15", b)
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
