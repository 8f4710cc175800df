// Package books posts batches of bookings to accounts.
package books

import (
	"errors"
	"fmt"
	"sync"
)

// Errors returned by Books.
var (
	ErrNoAccount = errors.New("books: no such account")
	ErrFunds     = errors.New("books: insufficient funds")
)

// Line is one booking of a batch.
type Line struct {
	Account string
	Cents   int64
}

type account struct {
	mu      sync.Mutex // short, for readers; writers also hold Books.posting
	balance int64
	lines   int
}

func (a *account) get() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) add(cents int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += cents
	a.lines++
}

// Books is a set of accounts.
type Books struct {
	posting sync.Mutex // held over a whole batch

	index    sync.RWMutex
	accounts map[string]*account
}

// New returns books without accounts.
func New() *Books { return &Books{accounts: make(map[string]*account)} }

func (b *Books) find(name string) (*account, error) {
	b.index.RLock()
	defer b.index.RUnlock()
	a, ok := b.accounts[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoAccount, name)
	}
	return a, nil
}

// Open adds an account unless there is one of that name.
func (b *Books) Open(name string) {
	b.index.Lock()
	defer b.index.Unlock()
	if b.accounts[name] == nil {
		b.accounts[name] = &account{}
	}
}

// Post books all lines or none. Balance can be read meanwhile.
func (b *Books) Post(lines []Line) error {
	b.posting.Lock()
	defer b.posting.Unlock()

	sums := make(map[*account]int64, len(lines))
	for _, l := range lines {
		a, err := b.find(l.Account)
		if err != nil {
			return err
		}
		sums[a] += l.Cents
	}
	for a, sum := range sums {
		if sum < 0 && a.get()+sum < 0 {
			return ErrFunds
		}
	}
	for a, sum := range sums {
		a.add(sum)
	}
	return nil
}

// Balance returns the balance of one account.
func (b *Books) Balance(name string) (int64, error) {
	a, err := b.find(name)
	if err != nil {
		return 0, err
	}
	return a.get(), nil
}

// Total returns the sum of all balances, between two batches.
func (b *Books) Total() int64 {
	b.posting.Lock()
	defer b.posting.Unlock()
	b.index.RLock()
	defer b.index.RUnlock()
	var sum int64
	for _, a := range b.accounts {
		sum += a.get()
	}
	return sum
}
