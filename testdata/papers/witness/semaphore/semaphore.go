// Package semaphore is a custom lock as in util.concurrent, from the paper about
// context and witness locks (Fig. 11, sor).
//
// Benign: Account.Deposit holds the account and passes the mutex of the semaphore
// at least twice, in Acquire, which may take several rounds, and in Release. What
// the semaphore guards is safe all the time in between, for that is what the count
// stands for; the mutex only guards the count.
package semaphore

import (
	"runtime"
	"sync"
)

// Semaphore is a lock made by hand.
type Semaphore struct {
	mu   sync.Mutex
	free int
}

func New(n int) *Semaphore { return &Semaphore{free: n} }

func (s *Semaphore) Acquire() {
	for {
		s.mu.Lock()
		if s.free > 0 {
			s.free--
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		runtime.Gosched()
	}
}

func (s *Semaphore) Release() {
	s.mu.Lock()
	s.free++
	s.mu.Unlock()
}

// Ledger is shared by all accounts, and guarded by its semaphore.
type Ledger struct {
	sem   *Semaphore
	total int
}

type Account struct {
	mu      sync.Mutex
	balance int
	ledger  *Ledger
}

func (a *Account) Deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
	a.ledger.sem.Acquire()
	a.ledger.total += n
	a.ledger.sem.Release()
}

func deposits() int {
	l := &Ledger{sem: New(1)}
	var wg sync.WaitGroup
	for range 4 {
		a := &Account{ledger: l}
		for range 4 {
			wg.Go(func() { a.Deposit(1) })
		}
	}
	wg.Wait()
	return l.total
}

func Run() { deposits() }
