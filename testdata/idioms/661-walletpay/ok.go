// Package wallet pays out of prepaid wallets.
package wallet

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrFunds   = errors.New("wallet: insufficient funds")
	ErrUnknown = errors.New("wallet: unknown wallet")
)

// Bank moves money to a payee.
type Bank interface {
	Transfer(ctx context.Context, payee string, amount int64) error
}

type account struct {
	balance int64
	holds   map[uint64]int64
	paid    int64
}

func (a *account) available() int64 {
	free := a.balance
	for _, h := range a.holds {
		free -= h
	}
	return free
}

// Wallets keeps all wallets of one currency.
type Wallets struct {
	bank Bank

	mu   sync.Mutex
	accs map[string]*account
	seq  uint64
}

// New returns an empty set of wallets.
func New(bank Bank) *Wallets {
	return &Wallets{bank: bank, accs: make(map[string]*account)}
}

// TopUp adds money to a wallet and opens it if need be.
func (w *Wallets) TopUp(id string, amount int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, ok := w.accs[id]
	if !ok {
		a = &account{holds: make(map[uint64]int64)}
		w.accs[id] = a
	}
	a.balance += amount
}

// Available returns what a wallet may spend.
func (w *Wallets) Available(id string) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a, ok := w.accs[id]; ok {
		return a.available()
	}
	return 0
}

// Pay transfers amount to payee.
func (w *Wallets) Pay(ctx context.Context, id, payee string, amount int64) error {
	if amount > w.Available(id) {
		return fmt.Errorf("%w: %s", ErrFunds, id)
	}
	h, err := w.hold(id, amount)
	if err != nil {
		return err
	}
	if err := w.bank.Transfer(ctx, payee, amount); err != nil {
		w.void(id, h)
		return fmt.Errorf("transfer to %s: %w", payee, err)
	}
	w.commit(id, h)
	return nil
}

func (w *Wallets) hold(id string, amount int64) (uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, ok := w.accs[id]
	if !ok {
		return 0, ErrUnknown
	}
	if a.available() < amount {
		return 0, fmt.Errorf("%w: %s", ErrFunds, id)
	}
	w.seq++
	a.holds[w.seq] = amount
	return w.seq, nil
}

func (w *Wallets) void(id string, h uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.accs[id].holds, h)
}

func (w *Wallets) commit(id string, h uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.accs[id]
	amount := a.holds[h]
	delete(a.holds, h)
	a.balance -= amount
	a.paid += amount
}
