package returntag

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

func TestIssueTwice(t *testing.T) {
	s := &Tickets{}
	var other int
	meanwhile(t, func() { other = s.Issue() })
	if n := s.Issue(); n != other {
		t.Errorf("tickets %d and %d, want the same twice", n, other)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
