package connection

import "testing"

func TestRun(t *testing.T) { Run() }

func TestSendAfterClose(t *testing.T) {
	c := &conn{sock: new(socket)}
	atPause(t, c.disconnect)
	n, err := c.trySend("late")
	if err != errClosed || n != 1 {
		t.Errorf("trySend = %d, %v; want message 1 sent to a closed socket", n, err)
	}
}

func TestDisconnectHalfDone(t *testing.T) {
	c := &conn{sock: new(socket), n: 2}
	var n int
	var err error
	// This goroutine has asked isConnected before.
	atPause(t, func() { n, err = c.send("between") })
	c.disconnect()
	// Before disconnect the socket is open, after it the count starts at 1.
	if err != errClosed || n != 3 {
		t.Errorf("send = %d, %v; want message 3 on a closed socket", n, err)
	}
	if c.n != 0 {
		t.Errorf("n = %d; want the count of the message wiped", c.n)
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
