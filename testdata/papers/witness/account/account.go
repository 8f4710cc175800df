// Package account is the Account among the benchmarks of CalFuzzer, which has the
// shape that the paper about context and witness locks looks for; it is not in its
// Fig. 11.
//
// Account.TransferFrom holds its receiver, asks the other account for its balance
// and then withdraws from it. The other one is only locked within each call, and
// Account.Withdraw of it may come between: it is overdrawn.
package account

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// An Account has a balance that should not be below zero.
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

// Withdraw takes n out, which has to be there.
func (a *Account) Withdraw(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= n
}

// TransferFrom moves n from another account, if it is there.
func (a *Account) TransferFrom(from *Account, n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if from.Balance() < n { // AV1: the first access
		return false
	}
	pause()
	from.Withdraw(n) // AV1: the second access
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
