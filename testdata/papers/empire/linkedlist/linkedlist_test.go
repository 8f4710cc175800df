package linkedlist

import "testing"

func TestLostElement(t *testing.T) {
	l := new(List)
	l.AddLast(1)
	atPause(t, func() { l.AddLast(3) })
	l.AddLast(2)
	if n := l.missing(); n != 1 || l.end().value != 2 {
		t.Errorf("%d missing, last %d; want the 3 missing, and 2", n, l.end().value)
	}
}

func TestLostHead(t *testing.T) {
	l := new(List)
	atPause(t, func() { l.AddLast(2) })
	l.AddLast(1)
	if n := l.missing(); n != 1 || l.head.value != 1 {
		t.Errorf("%d missing, first %d; want the 2 missing, and 1", n, l.head.value)
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
