package devices

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

func TestCountActivePanics(t *testing.T) {
	l := &DeviceList{devices: []Device{{true}, {false}, {true}}}
	s := &Server{devices: l}
	meanwhile(t, l.RemoveLast)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	s.CountActive()
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
