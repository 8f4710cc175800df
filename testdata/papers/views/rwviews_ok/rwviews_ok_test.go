package rwviews_ok

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

func TestLen(t *testing.T) {
	s := &Span{start: 1, end: 2}
	wait := meanwhile(t, func() { s.Move(10, 12) })
	if n := s.Len(); n != 1 {
		t.Errorf("length %d, want 1", n)
	}
	wait()
	if n := s.Len(); n != 2 {
		t.Errorf("length %d, want 2", n)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
