package account

import "testing"

func TestLostDeposit(t *testing.T) {
	a, b := &Account{balance: 100}, &Account{balance: 100}
	atPause(t, func() { b.Deposit(10) })
	if !a.Transfer(b, 30) {
		t.Fatal("there was not enough")
	}
	if a, b := a.Balance(), b.Balance(); a != 70 || b != 130 {
		t.Errorf("balances %d and %d; want 70 and 130, the deposit of 10 lost", a, b)
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
