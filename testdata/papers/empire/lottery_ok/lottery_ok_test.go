package lottery_ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if mixed, twice := Run(); mixed != 0 || twice != 0 {
		t.Errorf("%d draws mixed up, %d numbers drawn twice", mixed, twice)
	}
}

// A draw is what has become of a number.
type draw struct{ generated, presented, history int }

func drawAt(i int) draw { return draw{generated[i], presented[i], history[i]} }

// restart begins a lottery whose numbers are 7, 8 and so on.
func restart(t *testing.T) {
	t.Helper()
	random = 0
	clear(generated[:])
	clear(presented[:])
	clear(history[:])
	n, old := 6, next
	next = func() int { n++; return n }
	t.Cleanup(func() { next = old })
}

func TestOwnNumbers(t *testing.T) {
	for at := 1; at <= 3; at++ {
		restart(t)
		u, v := &user{id: 0}, &user{id: 1}
		var theirs bool
		wait := atPause(t, at, func() { theirs = v.draw(1) })
		ours := u.draw(0)
		wait()
		if first, second := drawAt(0), drawAt(1); !ours || !theirs || first != (draw{7, 7, 7}) || second != (draw{8, 8, 8}) {
			t.Errorf("pause %d: draws %v %v and %v %v; want only 7 and only 8", at, ours, first, theirs, second)
		}
	}
}

// atPause starts f, in a goroutine of its own, at the nth pause, where f has to
// wait for the critical section to end. The function returned waits for f.
func atPause(t *testing.T, nth int, f func()) (wait func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	done := make(chan struct{})
	pause = func() {
		if nth--; nth != 0 {
			return
		}
		go func() { defer close(done); f() }()
		select {
		case <-done:
			t.Error("the other goroutine came between")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return func() { <-done }
}
