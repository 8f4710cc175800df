// Package account_deposit is Account of Empire's Table 2 (ConTest's ManageAccount;
// one of its revisions has the mistake here): Transfer holds the locks of both
// accounts, but Deposit holds none.
//
// AV1: Deposit. It reads the balance; a Transfer to the account; it writes the
// balance: the transfer is lost.
package account_deposit

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// An Account has a balance that is never below zero.
type Account struct {
	id int
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
	before := a.balance // AV1: the first access
	pause()
	a.balance = before + n // want `^R\(a\) W'\(a\) W\(a\): \(\*Account\)\.Deposit is not .*, if another \(\*Account\)\.Deposit comes`
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
	to.balance += n
	return true
}

// Run lets money go round the ring and returns how much was lost or made.
func Run() int {
	ring := make([]*Account, 3)
	for i := range ring {
		ring[i] = &Account{id: i}
	}
	var wg sync.WaitGroup
	for i, a := range ring {
		next := ring[(i+1)%len(ring)]
		wg.Go(func() {
			for range 2000 {
				a.Deposit(3)
				a.Transfer(next, 2)
			}
		})
	}
	wg.Wait()
	total := 0
	for _, a := range ring {
		total += a.Balance()
	}
	return total - len(ring)*6000
}
