package linkedlist_container_ok

import (
	"slices"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("%d elements lost", n)
	}
}

func TestWrongEnd(t *testing.T) {
	l := NewList(0)
	wait := atPause(t, func() { l.AddLast(2) })
	l.AddLast(1)
	wait()
	l.AddLast(3)
	if got, want := l.values(), []int{0, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("elements %v; want %v", got, want)
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
