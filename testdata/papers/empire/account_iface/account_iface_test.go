package account_iface

import (
	"testing"
	"time"
)

func TestPersonalLosesDeposit(t *testing.T) {
	a, b := &Account{id: 1, balance: 100}, &Account{id: 2, balance: 100}
	wait, between := atPause(t, 10*time.Second, func() { b.Deposit(10) })
	move(Personal{a}, b)
	wait()
	if a, b := a.Balance(), b.Balance(); !*between || a != 98 || b != 102 {
		t.Errorf("between = %v, balances %d and %d; want 98 and 102, the deposit of 10 lost", *between, a, b)
	}
}

func TestBusinessDoesNot(t *testing.T) {
	a, b := &Account{id: 1, balance: 100}, &Account{id: 2, balance: 100}
	wait, between := atPause(t, 20*time.Millisecond, func() { b.Deposit(10) })
	move(Business{a}, b)
	wait()
	if a, b := a.Balance(), b.Balance(); *between || a != 98 || b != 112 {
		t.Errorf("between = %v, balances %d and %d; want 98 and 112", *between, a, b)
	}
}

// atPause starts f, in a goroutine of its own, at the first pause, and gives it some
// time to come to its end there. wait waits for f.
func atPause(t *testing.T, limit time.Duration, f func()) (wait func(), between *bool) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	done, between := make(chan struct{}), new(bool)
	pause = func() {
		pause = func() {} // f itself may pause
		go func() { defer close(done); f() }()
		select {
		case <-done:
			*between = true
		case <-time.After(limit):
		}
	}
	return func() { <-done }, between
}
