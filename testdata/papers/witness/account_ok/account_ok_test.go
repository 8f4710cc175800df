package account_ok

import (
	"sync/atomic"
	"testing"
	"time"
)

// meanwhile has f start in another goroutine at the first pause. f gets a moment
// there, since it may have to wait for a lock; wait waits for its end.
func meanwhile(t *testing.T, f func()) (wait func()) {
	var reached atomic.Bool
	done := make(chan struct{})
	pause = func() {
		if !reached.CompareAndSwap(false, true) {
			return
		}
		go func() { defer close(done); f() }()
		select {
		case <-done:
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Cleanup(func() { pause = func() {} })
	return func() { <-done }
}

func TestOverdrawn(t *testing.T) {
	a, b, from := &Account{}, &Account{}, &Account{balance: 100}
	var theirs bool
	wait := meanwhile(t, func() { theirs = b.TransferFrom(from, 80) })
	ours := a.TransferFrom(from, 80)
	wait()
	if !ours || theirs || from.Balance() != 20 {
		t.Errorf("transfers %v and %v, balance %d; want only the first, and 20", ours, theirs, from.Balance())
	}
}

func TestNotEnough(t *testing.T) {
	a, from := &Account{}, &Account{balance: 100}
	if a.TransferFrom(from, 101) || a.Balance() != 0 || from.Balance() != 100 {
		t.Errorf("balances %d and %d, want 0 and 100", a.Balance(), from.Balance())
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
