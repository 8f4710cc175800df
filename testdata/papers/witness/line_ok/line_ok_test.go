package line_ok

import (
	"sync/atomic"
	"testing"
	"time"
)

// meanwhile has f start in another goroutine at the first pause. f gets a moment
// there, since it may have to wait for a lock; wait waits for its end.
func meanwhile(t *testing.T, f func()) (wait func()) {
	var reached atomic.Bool
	done := make(chan struct{})
	pause = func() {
		if !reached.CompareAndSwap(false, true) {
			return
		}
		go func() { defer close(done); f() }()
		select {
		case <-done:
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Cleanup(func() { pause = func() {} })
	return func() { <-done }
}

func TestContainsOnePlace(t *testing.T) {
	l := &Line{end: Point{X: 10}}
	p := &Location{at: Point{Y: 3}}
	wait := meanwhile(t, func() { p.MoveTo(Point{X: 10, Y: 7}) })
	if l.Contains(p) {
		t.Error("the location never was on the line")
	}
	wait()
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
