package waitstale_ok

import (
	"testing"
)

func TestTakeKeepsWhatWasFilledIn(t *testing.T) {
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
	if n := p.Level(); n != 14 {
		t.Errorf("level %d, want 14", n)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
