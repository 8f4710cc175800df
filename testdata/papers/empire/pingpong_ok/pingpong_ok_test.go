package pingpong_ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if missed, lost := Run(); missed != 0 || lost != 0 {
		t.Errorf("%d balls missed, %d lost", missed, lost)
	}
}

func TestBothHit(t *testing.T) {
	for at := 1; at <= 2; at++ {
		g := &Game{ball: &Ball{speed: 1}}
		var second bool
		wait := atPause(t, at, func() { second = g.Hit() })
		first := g.Hit()
		wait()
		if !first || !second || g.ball == nil {
			t.Errorf("pause %d: hits %v and %v, ball %v; want both to hit", at, first, second, g.ball)
		}
	}
}

// atPause starts f, in a goroutine of its own, at the nth pause, where f has to
// wait for the critical section to end. The function returned waits for f.
func atPause(t *testing.T, nth int, f func()) (wait func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	done := make(chan struct{})
	pause = func() {
		if nth--; nth != 0 {
			return
		}
		go func() { defer close(done); f() }()
		select {
		case <-done:
			t.Error("the other goroutine came between")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return func() { <-done }
}
