// Package ledger moves money between the accounts of a wallet service.
package ledger

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrNotFound = errors.New("ledger: no such account")
	ErrFunds    = errors.New("ledger: insufficient funds")
	ErrSame     = errors.New("ledger: transfer to the same account")
	ErrAmount   = errors.New("ledger: amount must be positive")
)

// Account is a row of the table.
type Account struct {
	ID      string
	Balance int64
	Version int
}

// table stands for the database: single rows are read and written whole.
type table struct {
	mu   sync.RWMutex
	rows map[string]Account
}

func (t *table) get(id string) (Account, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	a, ok := t.rows[id]
	if !ok {
		return Account{}, ErrNotFound
	}
	return a, nil
}

func (t *table) put(rows ...Account) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range rows {
		a.Version++
		t.rows[a.ID] = a
	}
}

// keyLock has a mutex for each key in use.
type keyLock struct {
	mu   sync.Mutex
	keys map[string]*keyRef
}

type keyRef struct {
	mu sync.Mutex
	n  int // holders and waiters
}

func (k *keyLock) lock(key string) (unlock func()) {
	k.mu.Lock()
	r, ok := k.keys[key]
	if !ok {
		r = &keyRef{}
		k.keys[key] = r
	}
	r.n++
	k.mu.Unlock()

	r.mu.Lock()
	return func() {
		r.mu.Unlock()
		k.mu.Lock()
		r.n--
		if r.n == 0 {
			delete(k.keys, key)
		}
		k.mu.Unlock()
	}
}

// Check is asked before money leaves an account; it may call other services.
type Check func(ctx context.Context, from Account, amount int64) error

// Ledger is safe for concurrent use.
type Ledger struct {
	check    Check
	accounts table
	locks    keyLock
}

// New returns a ledger without accounts.
func New(check Check) *Ledger {
	return &Ledger{
		check:    check,
		accounts: table{rows: make(map[string]Account)},
		locks:    keyLock{keys: make(map[string]*keyRef)},
	}
}

// Deposit adds money to an account, which is opened if it is new.
func (l *Ledger) Deposit(id string, amount int64) error {
	if amount <= 0 {
		return ErrAmount
	}
	defer l.locks.lock(id)()
	a, err := l.accounts.get(id)
	if errors.Is(err, ErrNotFound) {
		a = Account{ID: id}
	}
	a.Balance += amount
	l.accounts.put(a)
	return nil
}

// Transfer moves money from one account to another.
func (l *Ledger) Transfer(ctx context.Context, from, to string, amount int64) error {
	if amount <= 0 {
		return ErrAmount
	}
	if from == to {
		return ErrSame
	}
	first, second := min(from, to), max(from, to)
	defer l.locks.lock(first)()
	defer l.locks.lock(second)()

	src, err := l.accounts.get(from)
	if err != nil {
		return err
	}
	dst, err := l.accounts.get(to)
	if err != nil {
		return err
	}
	if src.Balance < amount {
		return ErrFunds
	}
	if err := l.check(ctx, src, amount); err != nil {
		return err
	}
	src.Balance -= amount
	dst.Balance += amount
	l.accounts.put(src, dst)
	return nil
}

// Balance returns the balance of an account.
func (l *Ledger) Balance(id string) (int64, error) {
	a, err := l.accounts.get(id)
	return a.Balance, err
}
