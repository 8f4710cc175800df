package account

import (
	"sync/atomic"
	"testing"
)

// meanwhile has f run to its end in another goroutine at the first pause.
func meanwhile(t *testing.T, f func()) {
	var reached atomic.Bool
	pause = func() {
		if !reached.CompareAndSwap(false, true) {
			return
		}
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		<-done
	}
	t.Cleanup(func() { pause = func() {} })
}

func TestOverdrawn(t *testing.T) {
	a, b, from := &Account{}, &Account{}, &Account{balance: 100}
	var theirs bool
	meanwhile(t, func() { theirs = b.TransferFrom(from, 80) })
	if ours := a.TransferFrom(from, 80); !ours || !theirs || from.Balance() != -60 {
		t.Errorf("transfers %v and %v, balance %d; want both, and -60", ours, theirs, from.Balance())
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
