package account_deposit

import "testing"

func TestLostTransfer(t *testing.T) {
	a, b := &Account{id: 1, balance: 100}, &Account{id: 2, balance: 100}
	atPause(t, func() { a.Transfer(b, 30) })
	b.Deposit(10)
	if a, b := a.Balance(), b.Balance(); a != 70 || b != 110 {
		t.Errorf("balances %d and %d; want 70 and 110, the transfer of 30 lost", a, b)
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
