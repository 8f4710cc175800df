package jigsawok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) { Run() }

func TestEntryOfClosed(t *testing.T) {
	m := newManager()
	wait := atPause(t, m.shutdown)
	if m.loadResourceStore("index") == nil {
		t.Error("no store of an open manager")
	}
	wait()
	if !m.closed || len(m.entries) != 0 {
		t.Errorf("closed %t, %d entries; want a closed manager without", m.closed, len(m.entries))
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
