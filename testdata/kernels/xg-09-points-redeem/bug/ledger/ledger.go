// Package ledger stores the loyalty accounts of customers.
package ledger

import (
	"errors"
	"sync"
	"time"
)

// Errors returned by a Book.
var (
	ErrNotFound = errors.New("ledger: no such account")
	ErrExists   = errors.New("ledger: account exists")
)

// Account is the state of one customer.
type Account struct {
	ID       string
	Points   int64
	Lifetime int64
	Changed  time.Time
}

// Book is an in-memory ledger, safe for concurrent use.
type Book struct {
	mu   sync.Mutex
	accs map[string]Account
}

// NewBook returns an empty ledger.
func NewBook() *Book { return &Book{accs: make(map[string]Account)} }

// Open creates an account.
func (b *Book) Open(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.accs[id]; ok {
		return ErrExists
	}
	b.accs[id] = Account{ID: id, Changed: time.Now()}
	return nil
}

// Get returns an account.
func (b *Book) Get(id string) (Account, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a, ok := b.accs[id]
	if !ok {
		return Account{}, ErrNotFound
	}
	return a, nil
}

// Put stores an account.
func (b *Book) Put(a Account) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.accs[a.ID]; !ok {
		return ErrNotFound
	}
	a.Changed = time.Now()
	b.accs[a.ID] = a
	return nil
}

// Update applies fn to an account. If fn returns an error nothing changes.
func (b *Book) Update(id string, fn func(*Account) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	a, ok := b.accs[id]
	if !ok {
		return ErrNotFound
	}
	if err := fn(&a); err != nil {
		return err
	}
	a.Changed = time.Now()
	b.accs[id] = a
	return nil
}
