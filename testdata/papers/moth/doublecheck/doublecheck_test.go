package doublecheck

import "testing"

func TestRun(t *testing.T) { Run() }

func TestRetry(t *testing.T) {
	s := new(shared)
	atPause(t, func() { step(s) })
	if n := step(s); n != 2 || s.field != 2 {
		t.Errorf("%d tries, field %d; want 2 tries, field 2", n, s.field)
	}
}

// The value goes away and comes back: nothing that counts has changed.
func TestSameAgain(t *testing.T) {
	s := new(shared)
	atPause(t, func() {
		s.update(0, 5)
		s.update(5, 0)
	})
	if n := step(s); n != 1 || s.field != 1 {
		t.Errorf("%d tries, field %d; want 1 try, field 1", n, s.field)
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
