// Package book is a double-entry ledger in memory. Balances are read far more
// often than they are changed, by requests on many goroutines.
package book

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	// ErrUnknown is returned for an account that does not exist.
	ErrUnknown = errors.New("book: unknown account")
	// ErrExists is returned when an account is opened twice.
	ErrExists = errors.New("book: account exists")
	// ErrFunds is returned when a posting would overdraw an account.
	ErrFunds = errors.New("book: insufficient funds")
	// ErrFrozen is returned for postings on a frozen account.
	ErrFrozen = errors.New("book: account is frozen")
)

// Account is one account. Its own lock lets the balance be read while a
// posting is under way elsewhere in the book.
type Account struct {
	id        string
	overdraft int64

	mu      sync.RWMutex
	balance int64
	frozen  bool
}

// Balance returns the balance in cents.
func (a *Account) Balance() int64 {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.balance
}

// Frozen reports whether the account takes postings.
func (a *Account) Frozen() bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.frozen
}

func (a *Account) add(cents int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += cents
}

func (a *Account) setFrozen(frozen bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.frozen = frozen
}

// Posting is a transfer that has been made.
type Posting struct {
	Time     time.Time
	From, To string
	Cents    int64
}

// Book holds the accounts and their postings. It is safe for concurrent use.
type Book struct {
	accounts sync.Map // id -> *Account; accounts are never removed

	post     sync.Mutex // held while accounts are changed
	postings []Posting
}

// Open adds an account that may be overdrawn by the given amount.
func (b *Book) Open(id string, overdraft int64) error {
	if _, taken := b.accounts.LoadOrStore(id, &Account{id: id, overdraft: overdraft}); taken {
		return fmt.Errorf("%s: %w", id, ErrExists)
	}
	return nil
}

// Account returns an account.
func (b *Book) Account(id string) (*Account, error) {
	v, ok := b.accounts.Load(id)
	if !ok {
		return nil, fmt.Errorf("%s: %w", id, ErrUnknown)
	}
	return v.(*Account), nil
}

// check returns an error if money cannot be moved.
func check(from, to *Account, cents int64) error {
	for _, a := range []*Account{from, to} {
		if a.Frozen() {
			return fmt.Errorf("%s: %w", a.id, ErrFrozen)
		}
	}
	if from.Balance()+from.overdraft < cents {
		return fmt.Errorf("%s: %w", from.id, ErrFunds)
	}
	return nil
}

// Transfer moves money from one account to another.
func (b *Book) Transfer(fromID, toID string, cents int64) error {
	if cents <= 0 {
		return fmt.Errorf("book: bad amount %d", cents)
	}
	from, err := b.Account(fromID)
	if err != nil {
		return err
	}
	to, err := b.Account(toID)
	if err != nil {
		return err
	}

	b.post.Lock()
	defer b.post.Unlock()
	if err := check(from, to, cents); err != nil {
		return err
	}
	from.add(-cents)
	to.add(cents)
	b.postings = append(b.postings, Posting{Time: time.Now(), From: fromID, To: toID, Cents: cents})
	return nil
}

// Freeze stops postings on an account, and Unfreeze lets them through again.
func (b *Book) Freeze(id string) error { return b.freeze(id, true) }

// Unfreeze ends a Freeze.
func (b *Book) Unfreeze(id string) error { return b.freeze(id, false) }

func (b *Book) freeze(id string, frozen bool) error {
	a, err := b.Account(id)
	if err != nil {
		return err
	}
	b.post.Lock()
	defer b.post.Unlock()
	a.setFrozen(frozen)
	return nil
}

// Trial returns the sum of all balances, which is 0 in a sound book.
func (b *Book) Trial() int64 {
	b.post.Lock()
	defer b.post.Unlock()
	var sum int64
	b.accounts.Range(func(_, v any) bool {
		sum += v.(*Account).Balance()
		return true
	})
	return sum
}

// Postings returns a copy of the postings so far.
func (b *Book) Postings() []Posting {
	b.post.Lock()
	defer b.post.Unlock()
	return append([]Posting(nil), b.postings...)
}
