package bufwriter_ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if elements, count := Run(); elements != count {
		t.Errorf("drained %d, counted %d", elements, count)
	}
}

func TestDrainedTwice(t *testing.T) {
	b := new(Buffer)
	b.SyncWrite(1)
	var drained int
	wait := atPause(t, func() { drained = b.Drain() })
	b.Write(2)
	wait()
	drained += b.Drain()
	if drained != 2 || b.count != 2 {
		t.Errorf("drained %d, counted %d; want 2 and 2", drained, b.count)
	}
}

func TestLostElement(t *testing.T) {
	b := new(Buffer)
	wait := atPause(t, func() { b.Write(2) })
	b.SyncWrite(1)
	wait()
	if b.items[0] != 1 || b.items[1] != 2 || b.pos != 2 || b.count != 2 {
		t.Errorf("elements %v, counted %d; want 1 and 2, and 2", b.items[:b.pos], b.count)
	}
}

func TestCountTooSmall(t *testing.T) {
	b := new(Buffer)
	var pos, count int
	wait := atPause(t, func() {
		b.SyncWrite(2)
		b.mu.Lock()
		defer b.mu.Unlock()
		pos, count = b.pos, b.count
	})
	b.Write(1)
	wait()
	if pos != 2 || count != 2 {
		t.Errorf("position %d and count %d; want 2 and 2", pos, count)
	}
}

// atPause starts f, in a goroutine of its own, at the first pause, where f has
// to wait for the critical section to end. The function returned waits for f.
func atPause(t *testing.T, f func()) (wait func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	done := make(chan struct{})
	pause = func() {
		pause = func() {} // f itself may pause
		go func() { defer close(done); f() }()
		select {
		case <-done:
			t.Error("the other goroutine came between")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return func() { <-done }
}
