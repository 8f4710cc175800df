package bubblesort

import (
	"slices"
	"testing"
)

func TestRun(t *testing.T) { Run() }

func TestLostElement(t *testing.T) {
	s := &sorter{a: []int{3, 2, 1}}
	atPause(t, func() { s.step(1) })
	s.step(0)
	if want := []int{2, 3, 2}; !slices.Equal(s.a, want) {
		t.Errorf("elements %v; want %v, the 1 lost", s.a, want)
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
