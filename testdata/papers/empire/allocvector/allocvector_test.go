package allocvector

import "testing"

func TestRun(t *testing.T) { Run() }

func TestTwoOwners(t *testing.T) {
	v := &Vector{state: []byte{allocated, free, free}}
	var theirs int
	atPause(t, func() { theirs = v.Allocate() })
	ours := v.Allocate()
	if ours != 1 || theirs != 1 {
		t.Errorf("blocks %d and %d; want block 1 twice", ours, theirs)
	}
	if !v.MarkFree(ours) || v.MarkFree(theirs) {
		t.Error("the block has not been freed twice")
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
