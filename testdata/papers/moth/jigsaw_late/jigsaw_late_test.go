package jigsawlate

import "testing"

func TestRun(t *testing.T) { Run() }

func TestStoreOfOpen(t *testing.T) {
	m := newManager()
	atPause(t, m.shutdown)
	s, closed := m.loadResourceStore("index")
	if !closed || m.entries["index"] == s {
		t.Errorf("closed %t, store among the entries; want a closed manager without it", closed)
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
