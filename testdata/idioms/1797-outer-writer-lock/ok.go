// Package a is the wallet of a marketplace: balances of buyers and sellers.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrFunds  = errors.New("wallet: insufficient funds")
	ErrAmount = errors.New("wallet: amount must be positive")
	ErrName   = errors.New("wallet: account has no name")
)

// balances is the table that readers see. It is private to Wallet.
type balances struct {
	mu sync.RWMutex
	m  map[string]int64
}

func (b *balances) get(account string) int64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.m[account]
}

// apply puts new balances in place, all at once.
func (b *balances) apply(next map[string]int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for a, v := range next {
		b.m[a] = v
	}
}

func (b *balances) sum() int64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var s int64
	for _, v := range b.m {
		s += v
	}
	return s
}

// Journal makes a movement durable before it counts.
type Journal interface {
	Write(ctx context.Context, from, to string, amount int64) error
}

// Wallet moves money. Movements happen one after the other; reading a balance
// does not wait for the journal.
type Wallet struct {
	journal Journal

	moving sync.Mutex // held during a whole movement
	table  balances
}

// NewWallet returns a wallet without money.
func NewWallet(j Journal) *Wallet {
	return &Wallet{journal: j, table: balances{m: make(map[string]int64)}}
}

// Deposit pays money in.
func (w *Wallet) Deposit(ctx context.Context, account string, amount int64) error {
	if amount <= 0 {
		return ErrAmount
	}
	if account == "" {
		return ErrName
	}
	w.moving.Lock()
	defer w.moving.Unlock()
	return w.move(ctx, "", account, amount)
}

// Transfer moves money between two accounts.
func (w *Wallet) Transfer(ctx context.Context, from, to string, amount int64) error {
	if amount <= 0 {
		return ErrAmount
	}
	if from == "" || to == "" {
		return ErrName
	}
	w.moving.Lock()
	defer w.moving.Unlock()
	if w.table.get(from) < amount {
		return ErrFunds
	}
	if from == to {
		return nil
	}
	return w.move(ctx, from, to, amount)
}

// move books a movement; an empty from is the outside world. The caller holds
// w.moving.
func (w *Wallet) move(ctx context.Context, from, to string, amount int64) error {
	next := map[string]int64{to: w.table.get(to) + amount}
	if from != "" {
		next[from] = w.table.get(from) - amount
	}
	if err := w.journal.Write(ctx, from, to, amount); err != nil {
		return fmt.Errorf("wallet: journal: %w", err)
	}
	w.table.apply(next)
	return nil
}

// Balance returns the balance of account.
func (w *Wallet) Balance(account string) int64 { return w.table.get(account) }

// Total returns the sum of all balances.
func (w *Wallet) Total() int64 { return w.table.sum() }
