package bufferchan

import (
	"slices"
	"testing"
)

func TestRun(t *testing.T) { Run() }

// Between taking and adding another worker takes and adds more than once round
// the buffer: no value is lost, doubled or left out.
func TestHandOver(t *testing.T) {
	b := newBuffer(10, 20, 30)
	atPause(t, func() { work(b, 4) })
	work(b, 1)

	got := []int{<-b, <-b, <-b}
	slices.Sort(got)
	if want := []int{11, 22, 32}; !slices.Equal(got, want) {
		t.Errorf("values %v; want %v", got, want)
	}
	if len(b) != 0 {
		t.Errorf("%d values left; want none", len(b))
	}
}

// atPause lets f run to its end, in a goroutine of its own, at the first pause.
func atPause(t *testing.T, f func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	pause = func() {
		pause = func() {} // f itself may pause
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		<-done
	}
}
