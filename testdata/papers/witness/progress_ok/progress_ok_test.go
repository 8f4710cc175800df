package progress_ok

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

func TestProgressDoesNotGoBack(t *testing.T) {
	p := &Progress{}
	e, f := &Exporter{progress: p}, &Exporter{progress: p}
	wait := meanwhile(t, func() { f.Step(90) })
	e.Step(10)
	wait()
	if got := p.Current(); got != 90 {
		t.Errorf("progress %d, want 90", got)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
