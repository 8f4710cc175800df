package line

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

func TestContainsWhatWasNeverOnIt(t *testing.T) {
	l := &Line{end: Point{X: 10}}
	before, after := Point{Y: 3}, Point{X: 10, Y: 7}
	for _, p := range []Point{before, after} {
		if l.Contains(&Location{at: p}) {
			t.Fatalf("%v is on the line", p)
		}
	}
	p := &Location{at: before}
	meanwhile(t, func() { p.MoveTo(after) })
	if !l.Contains(p) {
		t.Error("the old and the new place have not been mixed")
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
