// Package indexed is one of the false patterns of the paper about context and
// witness locks: the same lock expression with another index.
//
// Right: Bank.CreditTwo holds the bank and locks a[i] twice, but with i++ in
// between, so these are the locks of two slots. So they are in the loop of
// Bank.CreditAll. Each slot is passed once, and no slot depends on another.
package indexed

import "sync"

type Slot struct {
	mu      sync.Mutex
	balance int
}

func (s *Slot) Balance() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.balance
}

type Bank struct {
	mu      sync.Mutex
	credits int
	a       [4]Slot
}

func (b *Bank) CreditTwo(i, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.a[i].mu.Lock()
	b.a[i].balance += n
	b.a[i].mu.Unlock()
	i++
	b.a[i].mu.Lock()
	b.a[i].balance += n
	b.a[i].mu.Unlock()
	b.credits += 2
}

func (b *Bank) CreditAll(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := 0; i < len(b.a); i++ {
		b.a[i].mu.Lock()
		b.a[i].balance += n
		b.a[i].mu.Unlock()
		b.credits++
	}
}

func Run() {
	b := &Bank{}
	var wg sync.WaitGroup
	wg.Go(func() { b.CreditTwo(0, 1) })
	wg.Go(func() { b.CreditTwo(2, 1) })
	wg.Go(func() { b.CreditAll(1) })
	for i := range b.a {
		wg.Go(func() { b.a[i].Balance() })
	}
	wg.Wait()
}
