package account

import "testing"

func TestRun(t *testing.T) { Run() }

func TestLostPayment(t *testing.T) {
	a := new(account)
	atPause(t, func() { a.update(10) })
	a.update(5)
	if b := a.getBalance(); b != 5 {
		t.Errorf("balance %d; want 5, the payment of 10 lost", b)
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
