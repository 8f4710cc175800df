package staleflow_local

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

func TestLosesOne(t *testing.T) {
	c := &Counter{}
	meanwhile(t, c.Inc)
	c.Inc()
	if n := c.Value(); n != 1 {
		t.Errorf("%d after two increments, want one to be lost", n)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
