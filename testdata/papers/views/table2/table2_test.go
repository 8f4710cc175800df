package table2

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

func TestTorn(t *testing.T) {
	meanwhile(t, a)
	b()
	if x != 1 || y != 2 {
		t.Errorf("x, y = %d, %d, want the torn 1, 2", x, y)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
