package boxes

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

func TestIntersectsNowhere(t *testing.T) {
	a := &Box{w: 10, h: 10}
	if a.Intersects(&Box{y: 20, w: 5, h: 5}) || a.Intersects(&Box{x: 20, w: 5, h: 5}) {
		t.Fatal("the boxes intersect anyhow")
	}
	b := &Box{y: 20, w: 5, h: 5}
	meanwhile(t, func() { b.MoveTo(20, 0) })
	if !a.Intersects(b) {
		t.Error("x and y are of one place")
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
