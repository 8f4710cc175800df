package addall_ok

import (
	"slices"
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

func TestAddsWhatWasThere(t *testing.T) {
	l := &List{array: []string{"a"}}
	b := &Bag{items: []string{"b", "c"}}
	wait := meanwhile(t, b.Clear)
	l.AddAll(b)
	wait()
	if got, want := l.Items(), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
