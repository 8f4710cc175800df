package waitstale

import (
	"testing"
)

func TestTakeLosesWhatWasFilledIn(t *testing.T) {
	p := NewPool(10)
	opened := make(chan struct{})
	pause = func() {
		go func() {
			defer close(opened)
			p.Open(5) // gets the lock only when Take waits
		}()
	}
	t.Cleanup(func() { pause = func() {} })
	p.Take()
	<-opened
	if n := p.Level(); n != 9 {
		t.Errorf("level %d, want 9, the 5 being lost", n)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
