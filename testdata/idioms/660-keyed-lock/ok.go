// Package wallet keeps the coins of players.
package wallet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	// ErrNoWallet is returned for unknown players.
	ErrNoWallet = errors.New("wallet: unknown player")
	// ErrCoins is returned when there are too few coins.
	ErrCoins = errors.New("wallet: not enough coins")
	// ErrExists is returned when a wallet is opened twice.
	ErrExists = errors.New("wallet: exists")
)

type keyLock struct {
	mu   sync.Mutex
	refs int // guarded by Locker.mu
}

// Locker is a mutex for each key.
type Locker struct {
	mu    sync.Mutex
	locks map[string]*keyLock
}

// With runs f while no other With for the key runs.
func (l *Locker) With(key string, f func() error) error {
	l.mu.Lock()
	if l.locks == nil {
		l.locks = make(map[string]*keyLock)
	}
	k := l.locks[key]
	if k == nil {
		k = new(keyLock)
		l.locks[key] = k
	}
	k.refs++
	l.mu.Unlock()

	k.mu.Lock()
	defer func() {
		k.mu.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.refs--; k.refs == 0 {
			delete(l.locks, key)
		}
	}()
	return f()
}

// Journal is written before a change counts.
type Journal interface {
	Record(ctx context.Context, player string, before, after int64, reason string) error
}

// Wallets is the table of all players.
type Wallets struct {
	journal Journal
	keyed   Locker

	mu    sync.RWMutex
	coins map[string]int64
	last  map[string]time.Time
}

// New returns an empty table.
func New(j Journal) *Wallets {
	return &Wallets{journal: j, coins: make(map[string]int64), last: make(map[string]time.Time)}
}

// Coins returns the balance of a player.
func (w *Wallets) Coins(player string) (int64, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	n, ok := w.coins[player]
	if !ok {
		return 0, fmt.Errorf("%w: %s", ErrNoWallet, player)
	}
	return n, nil
}

func (w *Wallets) set(player string, n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.coins[player] = n
	w.last[player] = time.Now()
}

// Open gives a new player an opening balance.
func (w *Wallets) Open(ctx context.Context, player string, opening int64) error {
	return w.keyed.With(player, func() error {
		if _, err := w.Coins(player); err == nil {
			return fmt.Errorf("%w: %s", ErrExists, player)
		}
		if err := w.journal.Record(ctx, player, 0, opening, "open"); err != nil {
			return fmt.Errorf("wallet: journal: %w", err)
		}
		w.set(player, opening)
		return nil
	})
}

func (w *Wallets) apply(ctx context.Context, player string, delta int64, reason string) error {
	before, err := w.Coins(player)
	if err != nil {
		return err
	}
	after := before + delta
	if after < 0 {
		return fmt.Errorf("%w: %s has %d", ErrCoins, player, before)
	}
	if err := w.journal.Record(ctx, player, before, after, reason); err != nil {
		return fmt.Errorf("wallet: journal: %w", err)
	}
	w.set(player, after)
	return nil
}

// Charge takes coins for a purchase.
func (w *Wallets) Charge(ctx context.Context, player string, price int64, item string) error {
	return w.keyed.With(player, func() error {
		return w.apply(ctx, player, -price, "buy "+item)
	})
}

// Reward adds coins.
func (w *Wallets) Reward(ctx context.Context, player string, n int64, why string) error {
	return w.keyed.With(player, func() error {
		return w.apply(ctx, player, n, why)
	})
}
