package vectordata_ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("%d copies miss elements", n)
	}
}

func TestElementsAreMissing(t *testing.T) {
	v := &Vec{count: 3, data: []any{"a", "b", "c"}}
	wait := atPause(t, v.Clear)
	w := NewVecFrom(v)
	wait()
	if w.Len() != 3 || w.Get(2) != "c" || v.Len() != 0 {
		t.Errorf("length %d, elements %v; want all three", w.Len(), w.data)
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
