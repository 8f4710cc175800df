package fig4

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

func TestSumOfTwoPairs(t *testing.T) {
	c := &Coord{x: 1, y: 2}
	meanwhile(t, func() { t1(c) })
	if n := t3(c); n != 21 {
		t.Errorf("sum %d, want the wrong 21", n)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
