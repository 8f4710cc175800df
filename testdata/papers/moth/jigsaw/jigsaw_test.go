package jigsaw

import "testing"

func TestRun(t *testing.T) { Run() }

func TestEntryOfClosed(t *testing.T) {
	m := newManager()
	atPause(t, m.shutdown)
	if m.loadResourceStore("index") == nil {
		t.Error("no store; want one of a closed manager")
	}
	if !m.closed || len(m.entries) != 1 {
		t.Errorf("closed %t, %d entries; want a closed manager with an entry", m.closed, len(m.entries))
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
