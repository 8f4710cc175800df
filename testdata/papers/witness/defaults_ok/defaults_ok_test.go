package defaults_ok

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

func TestDefaultDoesNotOverwrite(t *testing.T) {
	p := &Properties{values: map[string]string{}}
	wait := meanwhile(t, func() { p.Set("port", "9000") })
	(&Server{props: p}).Start()
	wait()
	if got := p.Get("port"); got != "9000" {
		t.Errorf("port %q, want the user's 9000", got)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
