// Account has accounts in a ring that transfer money to each other. Transfer
// holds only the lock of the account that pays, so the other one's own Deposit
// gets in between: R(balance) W'(balance) W(balance) on the account that is
// paid, and the deposit is lost.
package main

import (
	"fmt"
	"sync"
)

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
	to.balance += n // want `^R\(a\) W'\(a\) W\(a\): \(\*Account\)\.Transfer is not .*, if another \(\*Account\)\.Transfer comes`
	return true
}

func main() {
	ring := make([]*Account, 3)
	for i := range ring {
		ring[i] = &Account{balance: 100000}
	}
	var wg sync.WaitGroup
	for i, a := range ring {
		next := ring[(i+1)%len(ring)]
		wg.Go(func() {
			for range 20000 {
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
	fmt.Println("money lost or made:", total-len(ring)*100000)
}
