// Package ledger keeps accounts in minor units and audits that money is neither made nor lost.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

var (
	ErrNoAccount = errors.New("ledger: no such account")
	ErrExists    = errors.New("ledger: account exists")
	ErrFunds     = errors.New("ledger: insufficient funds")
	ErrMismatch  = errors.New("ledger: books do not balance")
)

type account struct {
	id string

	mu      sync.Mutex
	balance int64
}

// Ledger is a set of accounts; they are opened and never closed.
type Ledger struct {
	mu       sync.RWMutex
	accounts []*account // by id
	issued   int64      // sum of all opening balances
}

// Open adds an account with an opening balance.
func (l *Ledger) Open(id string, opening int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, found := l.search(id)
	if found {
		return fmt.Errorf("%w: %s", ErrExists, id)
	}
	l.accounts = slices.Insert(l.accounts, i, &account{id: id, balance: opening})
	l.issued += opening
	return nil
}

func (l *Ledger) search(id string) (int, bool) {
	return slices.BinarySearchFunc(l.accounts, id, func(a *account, id string) int {
		return strings.Compare(a.id, id)
	})
}

func (l *Ledger) lookup(id string) (*account, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i, found := l.search(id)
	if !found {
		return nil, fmt.Errorf("%w: %s", ErrNoAccount, id)
	}
	return l.accounts[i], nil
}

// Transfer moves amount between two accounts.
func (l *Ledger) Transfer(from, to string, amount int64) error {
	if amount <= 0 || from == to {
		return fmt.Errorf("ledger: bad transfer %s -> %s of %d", from, to, amount)
	}
	src, err := l.lookup(from)
	if err != nil {
		return err
	}
	dst, err := l.lookup(to)
	if err != nil {
		return err
	}
	first, second := src, dst
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	if src.balance < amount {
		return fmt.Errorf("%w: %s", ErrFunds, from)
	}
	src.balance -= amount
	dst.balance += amount
	return nil
}

// Balance of one account.
func (l *Ledger) Balance(id string) (int64, error) {
	a, err := l.lookup(id)
	if err != nil {
		return 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance, nil
}

// total adds up all balances. l.mu is held.
func (l *Ledger) total() int64 {
	var sum int64
	for _, a := range l.accounts {
		a.mu.Lock()
		defer a.mu.Unlock()
		sum += a.balance
	}
	return sum
}

// Reconcile compares the balances with what was issued.
func (l *Ledger) Reconcile() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if sum := l.total(); sum != l.issued {
		return fmt.Errorf("%w: issued %d, found %d", ErrMismatch, l.issued, sum)
	}
	return nil
}

// RunAuditor reconciles every interval and raises the alert, which stops all payouts, on the first mismatch.
func (l *Ledger) RunAuditor(ctx context.Context, every time.Duration, alert func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := l.Reconcile(); err != nil {
				alert(err)
				return
			}
		}
	}
}
