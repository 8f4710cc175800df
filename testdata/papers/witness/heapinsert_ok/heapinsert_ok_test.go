package heapinsert_ok

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

func TestInsertKeepsTheOrder(t *testing.T) {
	h := &Heap{}
	for _, p := range []int{1, 5, 6} {
		h.Insert(&Item{prio: p})
	}
	x := &Item{prio: 3}
	wait := meanwhile(t, func() { x.SetPrio(9) })
	h.Insert(x)
	wait()
	if !h.Ordered() {
		t.Error("the heap is out of order")
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
