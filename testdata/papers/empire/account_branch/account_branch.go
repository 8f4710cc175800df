// Package account_branch is Account of Empire's Table 2 (ConTest's ManageAccount;
// one of its revisions is right but for the account that is named D): Transfer
// takes the locks of both accounts, unless it pays D.
//
// AV1: Transfer to D. It reads the balance of D; D's own Deposit; it writes the
// balance: the deposit is lost.
package account_branch

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// An Account has a balance that is never below zero.
type Account struct {
	name string
	mu   sync.Mutex
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

// Transfer moves n to another account, and reports whether there was enough. It
// takes the locks in the order of the names.
//
//atomvet:unitfor to
func (a *Account) Transfer(to *Account, n int) bool {
	switch {
	case a.name == to.name:
		return true // a mutex cannot be locked twice
	case to.name == "D":
		a.mu.Lock()
	case a.name < to.name:
		a.mu.Lock()
		to.mu.Lock()
		defer to.mu.Unlock()
	default:
		to.mu.Lock()
		defer to.mu.Unlock()
		a.mu.Lock()
	}
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

// Run lets money go round a ring and returns how much was lost or made.
func Run() int {
	ring := []*Account{{name: "A"}, {name: "B"}, {name: "C"}, {name: "D"}}
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
