// Package wallet charges prepaid accounts for API usage.
package wallet

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var ErrFunds = errors.New("wallet: insufficient funds")

type Cents int64

type Wallet struct {
	mu      sync.Mutex
	balance Cents
	history []string
}

func Open(initial Cents) *Wallet { return &Wallet{balance: initial} }

// Covers tells whether a charge of c has a chance.
func (w *Wallet) Covers(c Cents) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.balance >= c
}

// Debit takes c from the balance.
func (w *Wallet) Debit(c Cents, memo string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.balance < c {
		return ErrFunds
	}
	w.balance -= c
	w.history = append(w.history, fmt.Sprintf("-%d %s", c, memo))
	return nil
}

func (w *Wallet) Credit(c Cents, memo string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.balance += c
	w.history = append(w.history, fmt.Sprintf("+%d %s", c, memo))
}

func (w *Wallet) Balance() Cents {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.balance
}

// Quoter asks the price service, which takes a while.
type Quoter func(ctx context.Context, op string) (Cents, error)

type Meter struct {
	quote Quoter
	floor Cents
}

func NewMeter(q Quoter, floor Cents) *Meter { return &Meter{quote: q, floor: floor} }

// Run charges w for op and performs it; a failed op is refunded.
func (m *Meter) Run(ctx context.Context, w *Wallet, op string, do func(context.Context) error) error {
	if !w.Covers(m.floor) {
		return ErrFunds
	}
	price, err := m.quote(ctx, op)
	if err != nil {
		return fmt.Errorf("wallet: quote %s: %w", op, err)
	}
	if err := w.Debit(price, op); err != nil {
		return err
	}
	if err := do(ctx); err != nil {
		w.Credit(price, "refund "+op)
		return err
	}
	return nil
}
