package bubblesort_sleep

import "testing"

func TestRun(t *testing.T) { Run() }

func TestOfTwoStates(t *testing.T) {
	s := &sorter{a: []int{3, 4, 1, 2}}
	if !s.ordered(0) {
		t.Error("3 and 4 are out of order")
	}
	atPause(t, func() {
		s.pass()
		s.pass()
	})
	if s.ordered(0) {
		t.Error("in order; want the 3 from before compared with the 2 from after")
	}
	if !s.ordered(0) {
		t.Error("1 and 2 are out of order")
	}
}

// Those who wait until all is done see no such thing.
func TestAfterAll(t *testing.T) {
	s := &sorter{a: []int{3, 4, 1, 2}}
	for range s.a {
		s.pass()
	}
	for i := range len(s.a) - 1 {
		if !s.ordered(i) {
			t.Errorf("elements %v", s.a)
		}
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
