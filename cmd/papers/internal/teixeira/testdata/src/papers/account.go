// Package papers has the programs of which the output of the tool is known, in
// their shape, each beside code that is right.
package papers

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) get() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) set(b int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = b
}

func (a *account) update(amount int) {
	b := a.get()
	a.set(b + amount) // want `^RwW: account.balance is read at line 25 \(by \(\*account\).get\) and written here \(by \(\*account\).set\), in two critical sections; in between it may be written by \(\*account\).pay, \(\*account\).set$`
}

// pay is one critical section.
func (a *account) pay(amount int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += amount
}

// twice reads twice: the same field has no RwR.
func (a *account) twice() int { return a.get() + a.get() }

// reset writes twice: the same field has no WrW.
func (a *account) reset() {
	a.set(1)
	a.set(0)
}

func runAccount(a *account) {
	for range 2 {
		go a.update(5)
		go a.pay(5)
		go a.twice()
		go a.reset()
	}
}

// A lone account has no threats: one goroutine uses it.
type lone struct {
	mu sync.Mutex
	n  int
}

func (l *lone) get() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *lone) set(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = n
}

func runLone() {
	l := new(lone)
	go func() {
		l.set(l.get() + 1)
	}()
}
