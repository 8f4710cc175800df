// Package account_ok is the Account among the benchmarks of CalFuzzer, which has the
// shape that the paper about context and witness locks looks for, repaired.
//
// Account.TransferFrom withdraws from the other account with one call, which says
// whether there was enough.
package account_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// An Account has a balance that is never below zero.
type Account struct {
	mu      sync.Mutex
	balance int
}

func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *Account) Deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

// Withdraw takes n out, if it is there.
func (a *Account) Withdraw(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance < n {
		return false
	}
	pause()
	a.balance -= n
	return true
}

// TransferFrom moves n from another account, if it is there.
func (a *Account) TransferFrom(from *Account, n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !from.Withdraw(n) {
		return false
	}
	a.balance += n
	return true
}

// Only one of the accounts is ever the other one: crosswise calls could deadlock.
func Run() {
	from := &Account{balance: 100}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { new(Account).TransferFrom(from, 80) })
	}
	wg.Go(func() { from.Deposit(10) })
	wg.Wait()
}
