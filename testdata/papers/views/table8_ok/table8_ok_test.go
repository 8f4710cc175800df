package table8_ok

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

func TestNotTornByC(t *testing.T) {
	wait := meanwhile(t, c)
	d()
	wait()
	if y != z {
		t.Errorf("y, z = %d, %d", y, z)
	}
}

func TestNotTornByE(t *testing.T) {
	wait := meanwhile(t, e)
	c()
	wait()
	if x != z {
		t.Errorf("x, z = %d, %d", x, z)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
