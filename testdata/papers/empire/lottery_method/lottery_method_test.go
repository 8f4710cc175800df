package lottery_method

import "testing"

func TestRun(t *testing.T) { Run() }

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

// both draws number 0, the 7, and at one of its pauses number 1, the 8.
func both(t *testing.T, at int) (first, second draw) {
	t.Helper()
	restart(t)
	u, v := &user{id: 0}, &user{id: 1}
	var theirs bool
	atPause(t, at, func() { theirs = v.draw(1) })
	if ours := u.draw(0); !ours || !theirs {
		t.Errorf("draws %v and %v, want true", ours, theirs)
	}
	return drawAt(0), drawAt(1)
}

// AV1 and AV2
func TestPresentsOther(t *testing.T) {
	first, second := both(t, 1)
	if want := (draw{7, 8, 8}); first != want {
		t.Errorf("first draw %v, want %v", first, want)
	}
	if want := (draw{8, 8, 8}); second != want {
		t.Errorf("second draw %v, want %v", second, want)
	}
}

// AV2
func TestRecordsOther(t *testing.T) {
	first, second := both(t, 2)
	if want := (draw{7, 7, 8}); first != want {
		t.Errorf("first draw %v, want %v", first, want)
	}
	if want := (draw{8, 8, 8}); second != want {
		t.Errorf("second draw %v, want %v", second, want)
	}
}

// atPause lets f run to its end, in a goroutine of its own, at the nth pause.
func atPause(t *testing.T, nth int, f func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	pause = func() {
		if nth--; nth != 0 {
			return
		}
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		<-done
	}
}
