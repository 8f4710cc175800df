// Package account is Account of Empire's Table 2 (ConTest's ManageAccount):
// accounts in a ring that transfer money to each other. Each has its own lock.
// Transfer holds only the one of the account that pays.
//
// AV1: Transfer. It reads the balance of the account that is paid; that account's
// own Deposit; it writes the balance: the deposit is lost.
package account

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// An Account has a balance that is never below zero.
type Account struct {
	mu sync.Mutex
	//atomvet:set balance
	balance int
}

// Balance returns the balance.
func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

// Deposit pays n in.
func (a *Account) Deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

// Withdraw takes n out, and reports whether there was enough.
func (a *Account) Withdraw(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance < n {
		return false
	}
	a.balance -= n
	return true
}

// Transfer moves n to another account, and reports whether there was enough.
//
//atomvet:unitfor to
func (a *Account) Transfer(to *Account, n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance < n {
		return false
	}
	a.balance -= n
	before := to.balance // AV1: the first access
	pause()
	to.balance = before + n // want `^R\(a\) W'\(a\) W\(a\): \(\*Account\)\.Transfer is not .*, if another \(\*Account\)\.Transfer comes`
	return true
}

// Run lets money go round the ring and returns how much was lost or made.
func Run() int {
	ring := make([]*Account, 3)
	for i := range ring {
		ring[i] = &Account{balance: 100000}
	}
	var wg sync.WaitGroup
	for i, a := range ring {
		next := ring[(i+1)%len(ring)]
		wg.Go(func() {
			for range 2000 {
				a.Deposit(3)
				a.Transfer(next, 2)
				a.Withdraw(3)
			}
		})
	}
	wg.Wait()
	total := 0
	for _, a := range ring {
		total += a.Balance()
	}
	return total - len(ring)*100000
}
