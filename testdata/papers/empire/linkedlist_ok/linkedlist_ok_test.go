package linkedlist_ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("%d elements lost", n)
	}
}

func TestLostElement(t *testing.T) {
	l := new(List)
	l.AddLast(1)
	wait := atPause(t, func() { l.AddLast(3) })
	l.AddLast(2)
	wait()
	if n := l.missing(); n != 0 || l.endLocked().value != 3 {
		t.Errorf("%d missing, last %d; want 0 and 3", n, l.endLocked().value)
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
