package heapinsert

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

func TestInsertBreaksTheOrder(t *testing.T) {
	h := &Heap{}
	for _, p := range []int{1, 5, 6} {
		h.Insert(&Item{prio: p})
	}
	x := &Item{prio: 3}
	meanwhile(t, func() { x.SetPrio(9) })
	h.Insert(x)
	if h.Ordered() {
		t.Error("the heap is in order")
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
