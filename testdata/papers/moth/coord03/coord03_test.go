package coord03

import "testing"

func TestRun(t *testing.T) { Run() }

func TestMixedPair(t *testing.T) {
	c := new(coord)
	atPause(t, func() { t1(c, 7) })
	// t1 only ever writes pairs of equals.
	if x, y := t3(c); x != 0 || y != 7 {
		t.Errorf("t3 = %d, %d; want the mixed pair 0, 7", x, y)
	}
}

func TestCopyOfPair(t *testing.T) {
	c := new(coord)
	atPause(t, func() { t1(c, 7) })
	if x, y := t4(c); x != 7 || y != 7 {
		t.Errorf("t4 = %d, %d; want 7, 7", x, y)
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
