// Package account is Account of the MoTH suite (MoTH, Table 1; von Praun and
// Gross 2003, Figure 1): two goroutines pay into one account. Reading and setting
// the balance are atomic, a payment is not.
//
// AV1: update. getBalance; setBalance of the other goroutine; setBalance: the
// balance set is computed from a stale one, a payment is lost.
package account

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) getBalance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) setBalance(b int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = b
}

// update pays amount into a.
func (a *account) update(amount int) {
	tmp := a.getBalance()
	pause()
	tmp += amount
	a.setBalance(tmp)
}

// Run lets two goroutines pay 20 times each and returns the balance.
func Run() int {
	a := new(account)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 20 {
				a.update(5)
			}
		})
	}
	wg.Wait()
	return a.getBalance()
}
