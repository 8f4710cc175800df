// Package accountok is Account of the MoTH suite (MoTH, Table 1; von Praun and
// Gross 2003, Figure 1) put right: a payment reads and sets the balance in one
// critical section, with helpers for who holds the lock.
package accountok

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
	return a.getBalanceLocked()
}

func (a *account) getBalanceLocked() int  { return a.balance }
func (a *account) setBalanceLocked(b int) { a.balance = b }

// update pays amount into a.
func (a *account) update(amount int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	tmp := a.getBalanceLocked()
	pause()
	tmp += amount
	a.setBalanceLocked(tmp)
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
