package doublecheckwrong

import "testing"

func TestRun(t *testing.T) { Run() }

func TestLostUpdate(t *testing.T) {
	s := new(shared)
	atPause(t, func() { step(s) })
	if n := step(s); n != 1 || s.field != 1 {
		t.Errorf("%d tries, field %d; want 1 try, field 1: a step lost", n, s.field)
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
