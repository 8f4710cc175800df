package account_iface_ok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("%d lost or made", n)
	}
}

func TestLostDeposit(t *testing.T) {
	a := &Account{id: 1, balance: 100}
	for _, p := range []Payer{Business{a}, Personal{a}} {
		a.balance = 100
		b := &Account{id: 2, balance: 100}
		wait := atPause(t, func() { b.Deposit(10) })
		move(p, b)
		wait()
		if a, b := a.Balance(), b.Balance(); a != 98 || b != 112 {
			t.Errorf("%T: balances %d and %d; want 98 and 112", p, a, b)
		}
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
