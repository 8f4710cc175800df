package connectionok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) { Run() }

func TestSendAfterClose(t *testing.T) {
	c := &conn{sock: new(socket)}
	wait := atPause(t, c.disconnect)
	n, err := c.trySend("in time")
	wait()
	if err != nil || n != 1 {
		t.Errorf("trySend = %d, %v; want 1, nil", n, err)
	}
}

func TestDisconnectHalfDone(t *testing.T) {
	c := &conn{sock: new(socket), n: 2}
	n, err := -1, errClosed
	wait := atPause(t, func() { n, err = c.trySend("after") })
	c.disconnect()
	wait()
	if n != 0 || err != nil || c.n != 0 {
		t.Errorf("trySend = %d, %v, count %d; want nothing sent", n, err, c.n)
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
