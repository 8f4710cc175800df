package defaults

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

func TestDefaultOverwrites(t *testing.T) {
	p := &Properties{values: map[string]string{}}
	meanwhile(t, func() { p.Set("port", "9000") })
	(&Server{props: p}).Start()
	if got := p.Get("port"); got != "8080" {
		t.Errorf("port %q, want the user's to be lost", got)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
