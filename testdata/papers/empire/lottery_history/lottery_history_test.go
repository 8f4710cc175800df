package lottery_history

import "testing"

func TestRun(t *testing.T) { Run() }

func TestDrawnTwice(t *testing.T) {
	clear(history[:])
	old := next
	next = func() int { return 7 }
	defer func() { next = old }()

	u, v := &user{id: 0}, &user{id: 1}
	var theirs bool
	atPause(t, func() { theirs = v.draw(1) })
	if ours := u.draw(0); !ours || !theirs || history[0] != 7 || history[1] != 7 {
		t.Errorf("draws %v and %v, history %v; want the 7 twice", ours, theirs, history[:2])
	}
	if u.draw(2) {
		t.Error("the 7 has been drawn once more")
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
