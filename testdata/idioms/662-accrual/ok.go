// Package accrual posts interest to savings accounts.
package accrual

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"time"
)

var (
	ErrNoAccount = errors.New("accrual: no such account")
	errConflict  = errors.New("accrual: account has changed")
)

// Account is a snapshot of one account.
type Account struct {
	ID      string
	Balance int64
	RateBP  int64
	Accrued time.Time
	Version uint64
}

// Ledger stores accounts by value.
type Ledger struct {
	mu   sync.RWMutex
	rows map[string]Account
}

// NewLedger returns a ledger with the given accounts.
func NewLedger(accs ...Account) *Ledger {
	l := &Ledger{rows: make(map[string]Account, len(accs))}
	for _, a := range accs {
		l.rows[a.ID] = a
	}
	return l
}

// Get returns a snapshot.
func (l *Ledger) Get(id string) (Account, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	a, ok := l.rows[id]
	if !ok {
		return Account{}, fmt.Errorf("%w: %s", ErrNoAccount, id)
	}
	return a, nil
}

// Put replaces a row that still has the version of a.
func (l *Ledger) Put(a Account) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rows[a.ID].Version != a.Version {
		return errConflict
	}
	a.Version++
	l.rows[a.ID] = a
	return nil
}

// Update applies fn to an account. fn may be called several times.
func (l *Ledger) Update(ctx context.Context, id string, fn func(*Account) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, err := l.Get(id)
		if err != nil {
			return err
		}
		if err := fn(&a); err != nil {
			return err
		}
		if err := l.Put(a); !errors.Is(err, errConflict) {
			return err
		}
	}
}

// Deposit adds amount.
func (l *Ledger) Deposit(ctx context.Context, id string, amount int64) error {
	return l.Update(ctx, id, func(a *Account) error {
		a.Balance += amount
		return nil
	})
}

// Accrue posts the interest of the full days since the last accrual.
func (l *Ledger) Accrue(ctx context.Context, id string, now time.Time) (int64, error) {
	var posted int64
	err := l.Update(ctx, id, func(a *Account) error {
		posted = 0
		days := int64(now.Sub(a.Accrued) / (24 * time.Hour))
		if days <= 0 {
			return nil
		}
		n := new(big.Int).Mul(big.NewInt(a.Balance), big.NewInt(a.RateBP*days))
		posted = n.Div(n, big.NewInt(10000*365)).Int64()
		a.Balance += posted
		a.Accrued = a.Accrued.Add(time.Duration(days) * 24 * time.Hour)
		return nil
	})
	return posted, err
}

// Batch accrues all ids with n workers.
func (l *Ledger) Batch(ctx context.Context, ids []string, now time.Time, n int) error {
	work := make(chan string)
	errs := make(chan error, len(ids))
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for id := range work {
				if _, err := l.Accrue(ctx, id, now); err != nil {
					errs <- err
				}
			}
		})
	}
	for _, id := range ids {
		work <- id
	}
	close(work)
	wg.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}
