package rwviews

import (
	"sync/atomic"
	"testing"
)

// meanwhile has f run to its end in another goroutine at the first pause.
func meanwhile(t *testing.T, f func()) {
	var reached atomic.Bool
	pause = func() {
		if !reached.CompareAndSwap(false, true) {
			return
		}
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		<-done
	}
	t.Cleanup(func() { pause = func() {} })
}

func TestLenOfNoSpan(t *testing.T) {
	s := &Span{start: 1, end: 2}
	meanwhile(t, func() { s.Move(10, 12) })
	if n := s.Len(); n != 11 {
		t.Errorf("length %d, want the wrong 11", n)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
