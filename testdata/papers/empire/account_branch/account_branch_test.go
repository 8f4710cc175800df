package account_branch

import (
	"testing"
	"time"
)

// deposited transfers 30 from A to another account, into which somebody tries for
// some time to pay 10 meanwhile, and returns the balance of that.
func deposited(t *testing.T, name string, limit time.Duration) (balance int, between bool) {
	a, b := &Account{name: "A", balance: 100}, &Account{name: name, balance: 100}
	wait, came := atPause(t, limit, func() { b.Deposit(10) })
	if !a.Transfer(b, 30) {
		t.Fatal("there was not enough")
	}
	wait()
	return b.Balance(), *came
}

func TestLostDeposit(t *testing.T) {
	if n, between := deposited(t, "D", 10*time.Second); !between || n != 130 {
		t.Errorf("between = %v, balance %d; want 130, the deposit of 10 lost", between, n)
	}
}

func TestOthersAreRight(t *testing.T) {
	if n, between := deposited(t, "C", 20*time.Millisecond); between || n != 140 {
		t.Errorf("between = %v, balance %d; want 140", between, n)
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
