package bubblesort_swap_ok

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

func TestSwappedTwice(t *testing.T) {
	s := &sorter{a: []int{2, 1}}
	wait := atPause(t, func() { s.step(0) })
	s.step(0)
	wait()
	if want := []int{1, 2}; !slices.Equal(s.a, want) {
		t.Errorf("elements %v; want %v", s.a, want)
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
