package producerconsumer_total

import "testing"

func TestNotAdded(t *testing.T) {
	d := &driver{buffer: newBuffer()}
	d.buffer.Put(5)
	d.buffer.Put(6)
	atPause(t, d.consume)
	d.consume()
	if d.total != 5 {
		t.Errorf("total %d; want 5, the 6 not added", d.total)
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
