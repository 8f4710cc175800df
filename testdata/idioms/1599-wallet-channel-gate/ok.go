// Package a moves money between the wallets of a game shop.
package a

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// ErrFunds is returned when a wallet has too little money.
var ErrFunds = errors.New("shop: insufficient funds")

// Fraud asks the risk department about a transfer.
type Fraud interface {
	Check(ctx context.Context, from, to string, amount int64) error
}

// wallets is shared with the statistics page.
type wallets struct {
	mu  sync.RWMutex
	bal map[string]int64
}

func (w *wallets) get(id string) int64 {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.bal[id]
}

func (w *wallets) put(id string, v int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bal[id] = v
}

// Shop makes one change of money at a time.
type Shop struct {
	risk Fraud
	gate chan struct{}
	w    wallets
}

// NewShop returns a shop without customers.
func NewShop(risk Fraud) *Shop {
	s := &Shop{risk: risk, gate: make(chan struct{}, 1)}
	s.w.bal = make(map[string]int64)
	return s
}

func (s *Shop) enter(ctx context.Context) error {
	select {
	case s.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Shop) leave() { <-s.gate }

// Balance returns the money in a wallet.
func (s *Shop) Balance(id string) int64 { return s.w.get(id) }

// Deposit adds money to a wallet.
func (s *Shop) Deposit(ctx context.Context, id string, amount int64) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	s.w.put(id, s.w.get(id)+amount)
	return nil
}

// Pay takes money from a wallet.
func (s *Shop) Pay(ctx context.Context, id, merchant string, amount int64) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()

	have := s.w.get(id)
	if have < amount {
		return fmt.Errorf("%w: %s has %d", ErrFunds, id, have)
	}
	if err := s.risk.Check(ctx, id, merchant, amount); err != nil {
		slog.Warn("payment refused", "wallet", id, "err", err)
		return err
	}
	s.w.put(id, have-amount)
	return nil
}
