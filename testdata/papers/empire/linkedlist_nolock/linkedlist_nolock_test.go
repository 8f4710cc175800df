package linkedlist_nolock

import "testing"

func TestLostElement(t *testing.T) {
	l := new(List)
	l.AddLast(1)
	atPause(t, func() { l.AddLast(3) })
	l.AddLast(2)
	if n := l.length(); n != 2 || l.size != 3 || l.end().value != 2 {
		t.Errorf("%d of %d elements, last %d; want 2 of 3, and 2", n, l.size, l.end().value)
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
