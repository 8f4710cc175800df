package sequencer

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

func TestProcessAtTheWrongTime(t *testing.T) {
	p := &TickPlayer{tick: 100, length: 8}
	meanwhile(t, p.Double)
	if got := (&Sequencer{player: p}).Process(); got != 400 {
		t.Errorf("time %d, want the wrong 400", got)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
