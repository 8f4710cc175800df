package allocvector_ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("%d blocks were freed twice", n)
	}
}

func TestTwoOwners(t *testing.T) {
	v := &Vector{state: []byte{allocated, free, free}}
	var theirs int
	wait := atPause(t, func() { theirs = v.Allocate() })
	ours := v.Allocate()
	wait()
	if ours != 1 || theirs != 2 {
		t.Errorf("blocks %d and %d; want 1 and 2", ours, theirs)
	}
	if !v.MarkFree(ours) || !v.MarkFree(theirs) {
		t.Error("a block has been freed twice")
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
