package progress

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

func TestProgressGoesBack(t *testing.T) {
	p := &Progress{}
	e, f := &Exporter{progress: p}, &Exporter{progress: p}
	meanwhile(t, func() { f.Step(90) })
	e.Step(10)
	if got := p.Current(); got != 10 {
		t.Errorf("progress %d, want it back at 10", got)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
