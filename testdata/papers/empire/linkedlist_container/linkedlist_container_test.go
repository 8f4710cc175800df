package linkedlist_container

import (
	"slices"
	"testing"
)

func TestWrongEnd(t *testing.T) {
	l := NewList(0)
	atPause(t, func() { l.AddLast(2) })
	l.AddLast(1)
	if l.end == l.all.Back() {
		t.Error("the end is the end")
	}
	l.AddLast(3)
	if got, want := l.values(), []int{0, 1, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("elements %v; want %v, the 3 not the last", got, want)
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
