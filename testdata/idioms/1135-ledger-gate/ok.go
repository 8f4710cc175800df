// Correct: gate is a channel used as a lock that can be waited for with a
// context. All writers hold it from their first read to their last write, so
// the balances cannot change in between; mu only serves readers, who find the
// two sides of a transfer written in one section.

// Package ok keeps account balances and checks transfers with a remote policy.
package ok

import (
	"context"
	"errors"
	"maps"
	"sync"
)

var (
	ErrFunds  = errors.New("ledger: insufficient funds")
	ErrDenied = errors.New("ledger: denied by policy")
)

// Policy decides over a transfer; it may take its time.
type Policy interface {
	Allow(ctx context.Context, from, to string, amount, balance int64) (bool, error)
}

// Ledger is the set of balances.
type Ledger struct {
	policy Policy
	gate   chan struct{}

	mu       sync.RWMutex
	balances map[string]int64
	height   uint64
}

func New(p Policy, genesis map[string]int64) *Ledger {
	return &Ledger{policy: p, gate: make(chan struct{}, 1), balances: maps.Clone(genesis)}
}

func (l *Ledger) enter(ctx context.Context) error {
	select {
	case l.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Ledger) leave() { <-l.gate }

// Balance reads one account.
func (l *Ledger) Balance(name string) int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.balances[name]
}

func (l *Ledger) write(changes map[string]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.balances == nil {
		l.balances = make(map[string]int64)
	}
	maps.Copy(l.balances, changes)
	l.height++
}

// Transfer moves amount between two accounts.
func (l *Ledger) Transfer(ctx context.Context, from, to string, amount int64) error {
	if from == to || amount <= 0 {
		return errors.New("ledger: bad transfer")
	}
	if err := l.enter(ctx); err != nil {
		return err
	}
	defer l.leave()

	have := l.Balance(from)
	if have < amount {
		return ErrFunds
	}
	ok, err := l.policy.Allow(ctx, from, to, amount, have)
	if err != nil {
		return err
	}
	if !ok {
		return ErrDenied
	}
	l.write(map[string]int64{from: have - amount, to: l.Balance(to) + amount})
	return nil
}

// Mint creates money.
func (l *Ledger) Mint(ctx context.Context, to string, amount int64) error {
	if err := l.enter(ctx); err != nil {
		return err
	}
	defer l.leave()
	l.write(map[string]int64{to: l.Balance(to) + amount})
	return nil
}

// Checkpoint copies all balances, and the number of writes that led to them.
func (l *Ledger) Checkpoint() (map[string]int64, uint64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return maps.Clone(l.balances), l.height
}
