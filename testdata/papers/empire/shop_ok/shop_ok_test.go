package shop_ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("%d items left", n)
	}
}

func TestNothingThere(t *testing.T) {
	s := &Shop{top: -1}
	s.PutItem("last")
	first, second := &customer{shop: s}, &customer{shop: s}
	wait := atPause(t, second.buy)
	first.visit()
	wait()
	if len(first.items) != 1 || len(second.items) != 0 || !s.IsEmpty() {
		t.Errorf("items %v and %v; want the last one at the first", first.items, second.items)
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
