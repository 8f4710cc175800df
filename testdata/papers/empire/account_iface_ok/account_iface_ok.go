// Package account_iface_ok is Account of Empire's Table 2 (ConTest's ManageAccount;
// one of its revisions has two kinds of accounts) put right: who transfers money
// knows only the interface Payer, and both that are behind it hold the locks of
// both accounts.
package account_iface_ok

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
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

// A Payer has an account from which it pays.
type Payer interface {
	// Transfer moves n to another account, and reports whether there was enough.
	Transfer(to *Account, n int) bool
}

// Business is a Payer that pays what is there.
type Business struct{ from *Account }

// Transfer takes the locks in the order of the accounts' numbers.
//
//atomvet:unit
//atomvet:unitfor to
func (b Business) Transfer(to *Account, n int) bool {
	if b.from.id == to.id {
		return true // a mutex cannot be locked twice
	}
	if b.from.id < to.id {
		b.from.mu.Lock()
		to.mu.Lock()
	} else {
		to.mu.Lock()
		b.from.mu.Lock()
	}
	defer b.from.mu.Unlock()
	defer to.mu.Unlock()
	if b.from.balance < n {
		return false
	}
	b.from.balance -= n
	before := to.balance
	pause()
	to.balance = before + n
	return true
}

// Personal is a Payer that leaves something in its account.
type Personal struct{ from *Account }

// Transfer takes the locks in the order of the accounts' numbers.
//
//atomvet:unit
//atomvet:unitfor to
func (p Personal) Transfer(to *Account, n int) bool {
	if p.from.id == to.id {
		return true // a mutex cannot be locked twice
	}
	if p.from.id < to.id {
		p.from.mu.Lock()
		to.mu.Lock()
	} else {
		to.mu.Lock()
		p.from.mu.Lock()
	}
	defer p.from.mu.Unlock()
	defer to.mu.Unlock()
	if p.from.balance <= n {
		return false
	}
	p.from.balance -= n
	before := to.balance
	pause()
	to.balance = before + n
	return true
}

// move is a payment through the interface.
func move(p Payer, to *Account) { p.Transfer(to, 2) }

// Run lets two payers pay one account that also pays into itself, and returns how
// much was lost or made.
func Run() int {
	paid := &Account{id: 0}
	accounts := []*Account{paid, {id: 1, balance: 100000}, {id: 2, balance: 100000}}
	var wg sync.WaitGroup
	for _, p := range []Payer{Business{accounts[1]}, Personal{accounts[2]}} {
		wg.Go(func() {
			for range 2000 {
				move(p, paid)
			}
		})
	}
	wg.Go(func() {
		for range 2000 {
			paid.Deposit(1)
		}
	})
	wg.Wait()
	total := 0
	for _, a := range accounts {
		total += a.Balance()
	}
	return total - 202000
}
