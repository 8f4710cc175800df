package jigsawlateok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) { Run() }

func TestStoreOfOpen(t *testing.T) {
	m := newManager()
	wait := atPause(t, m.shutdown)
	s, closed := m.loadResourceStore("index")
	wait()
	if s == nil || closed {
		t.Errorf("store %v, closed %t; want a store of an open manager", s, closed)
	}

	// Closed now: the store loaded is the one among the entries.
	if s, closed := m.loadResourceStore("index"); !closed || m.entries["index"] != s {
		t.Errorf("closed %t; want a closed manager that has the store", closed)
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
