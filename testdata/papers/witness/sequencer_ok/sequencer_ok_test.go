package sequencer_ok

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

func TestProcessAtTheRightTime(t *testing.T) {
	p := &TickPlayer{tick: 100, length: 8}
	wait := meanwhile(t, p.Double)
	if got := (&Sequencer{player: p}).Process(); got != 800 {
		t.Errorf("time %d, want 800", got)
	}
	wait()
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
