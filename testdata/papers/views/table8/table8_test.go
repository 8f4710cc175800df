package table8

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

func TestTornByC(t *testing.T) {
	meanwhile(t, c)
	d()
	if y != 1 || z != 2 {
		t.Errorf("y, z = %d, %d, want the torn 1, 2", y, z)
	}
}

func TestTornByE(t *testing.T) {
	meanwhile(t, e)
	c()
	if x != 3 || z != 1 {
		t.Errorf("x, z = %d, %d, want the torn 3, 1", x, z)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
