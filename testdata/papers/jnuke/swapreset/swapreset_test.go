package swapreset

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

func TestResetLeavesY(t *testing.T) {
	c := &Coord{x: 1, y: 2}
	meanwhile(t, c.Swap)
	c.Reset()
	if x, y := c.XY(); x != 2 || y != 0 {
		t.Errorf("%d, %d, want the damaged 2, 0", x, y)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
