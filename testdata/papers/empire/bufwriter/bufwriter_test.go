package bufwriter

import "testing"

// AV1
func TestDrainedTwice(t *testing.T) {
	b := new(Buffer)
	b.SyncWrite(1)
	var drained int
	atPause(t, func() { drained = b.Drain() })
	b.Write(2)
	drained += b.Drain()
	if drained != 3 || b.count != 2 {
		t.Errorf("drained %d, counted %d; want 3 and 2", drained, b.count)
	}
}

// AV2
func TestLostElement(t *testing.T) {
	b := new(Buffer)
	stored, locked := make(chan struct{}), make(chan struct{})
	done := make(chan struct{})
	script(t,
		func() { // SyncWrite has stored its element
			go func() { defer close(done); b.Write(2) }()
			<-stored
		},
		func() {}, // Write has read the position
		func() { // Write has stored its element, and goes for the lock
			close(stored)
			<-locked
		})
	b.SyncWrite(1)
	close(locked)
	<-done
	if b.items[0] != 2 || b.pos != 1 || b.count != 2 {
		t.Errorf("elements %v, counted %d; want only the 2, and 2", b.items[:b.pos], b.count)
	}
}

// AV3
func TestCountTooSmall(t *testing.T) {
	b := new(Buffer)
	var pos, count int
	script(t,
		func() {}, // Write has read the position
		func() { // Write has written the position
			done := make(chan struct{})
			go func() {
				defer close(done)
				b.SyncWrite(2)
				b.mu.Lock()
				defer b.mu.Unlock()
				pos, count = b.pos, b.count
			}()
			<-done
		})
	b.Write(1)
	if pos != 2 || count != 1 {
		t.Errorf("position %d and count %d; want 2 and 1", pos, count)
	}
}

// script runs a function at each pause. There may be further ones.
func script(t *testing.T, at ...func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	pause = func() {
		if len(at) == 0 {
			return
		}
		f := at[0]
		at = at[1:]
		f()
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
