// Package account_ok is Account of Empire's Table 2 (ConTest's ManageAccount) put
// right: Transfer holds the locks of both accounts, so nothing gets between its
// steps, and takes them in the order of the accounts' numbers, so that the ring
// does not deadlock.
package account_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// An Account has a balance that is never below zero.
type Account struct {
	id      int
	mu      sync.Mutex
	balance int //atomvet:set balance
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
	// A mutex cannot be locked twice.
	if a.id == to.id {
		return true
	}
	if a.id < to.id {
		a.mu.Lock()
		to.mu.Lock()
	} else {
		to.mu.Lock()
		a.mu.Lock()
	}
	defer a.mu.Unlock()
	defer to.mu.Unlock()
	if a.balance < n {
		return false
	}
	a.balance -= n
	before := to.balance
	pause()
	to.balance = before + n
	return true
}

// Run lets money go round the ring and returns how much was lost or made.
func Run() int {
	ring := make([]*Account, 3)
	for i := range ring {
		ring[i] = &Account{id: i, balance: 100000}
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
