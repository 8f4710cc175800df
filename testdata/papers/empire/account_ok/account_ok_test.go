package account_ok

import (
	"sync"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("%d lost or made", n)
	}
}

func TestLostDeposit(t *testing.T) {
	a, b := &Account{id: 1, balance: 100}, &Account{id: 2, balance: 100}
	wait := atPause(t, func() { b.Deposit(10) })
	if !a.Transfer(b, 30) {
		t.Fatal("there was not enough")
	}
	wait()
	if a, b := a.Balance(), b.Balance(); a != 70 || b != 140 {
		t.Errorf("balances %d and %d; want 70 and 140", a, b)
	}
}

func TestCrosswise(t *testing.T) {
	a, b := &Account{id: 1, balance: 100}, &Account{id: 2, balance: 100}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { a.Transfer(b, 1) })
		wg.Go(func() { b.Transfer(a, 1) })
	}
	wg.Wait()
	if n := a.Balance() + b.Balance(); n != 200 {
		t.Errorf("%d of 200 is there", n)
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
