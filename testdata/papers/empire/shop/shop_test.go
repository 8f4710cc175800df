package shop

import "testing"

func TestRun(t *testing.T) { Run() }

func TestNothingThere(t *testing.T) {
	s := &Shop{top: -1}
	s.PutItem("last")
	first, second := &customer{shop: s}, &customer{shop: s}
	atPause(t, second.buy)
	if first.visit() != 1 {
		t.Error("the first customer has found what he saw")
	}
	if len(first.items) != 0 || len(second.items) != 1 {
		t.Errorf("items %v and %v; want the last one at the second", first.items, second.items)
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
