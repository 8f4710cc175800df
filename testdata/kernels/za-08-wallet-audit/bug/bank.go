// Package wallet keeps the in-game currency of the players. All coins exist
// from the start of the season and move between wallets; none is ever lost.
package wallet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors returned by the bank.
var (
	ErrNoWallet     = errors.New("wallet: no such wallet")
	ErrInsufficient = errors.New("wallet: insufficient coins")
)

// Wallet is the purse of one player.
type Wallet struct {
	seq int // order in which wallets are locked

	mu    sync.Mutex
	coins int64
}

// Bank is safe for concurrent use. Transfers between different wallets do not
// wait for each other.
type Bank struct {
	mu      sync.RWMutex // guards wallets and their order
	wallets map[string]*Wallet
	order   []*Wallet

	supply int64 // coins in all wallets together, fixed at start
}

// Open returns a bank with the given balances.
func Open(balances map[string]int64) *Bank {
	b := &Bank{wallets: make(map[string]*Wallet, len(balances))}
	for player, coins := range balances {
		w := &Wallet{seq: len(b.order), coins: coins}
		b.wallets[player] = w
		b.order = append(b.order, w)
		b.supply += coins
	}
	return b
}

// Enroll gives a new player an empty wallet.
func (b *Bank) Enroll(player string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.wallets[player]; ok {
		return fmt.Errorf("wallet: %s has a wallet already", player)
	}
	w := &Wallet{seq: len(b.order)}
	b.wallets[player] = w
	b.order = append(b.order, w)
	return nil
}

func (b *Bank) wallet(player string) (*Wallet, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	w, ok := b.wallets[player]
	if !ok {
		return nil, ErrNoWallet
	}
	return w, nil
}

// lockPair locks both wallets in a fixed order.
func lockPair(a, b *Wallet) (unlock func()) {
	if a.seq > b.seq {
		a, b = b, a
	}
	a.mu.Lock()
	b.mu.Lock()
	return func() {
		b.mu.Unlock()
		a.mu.Unlock()
	}
}

// Transfer moves coins from one player to another.
func (b *Bank) Transfer(from, to string, coins int64) error {
	if coins <= 0 || from == to {
		return fmt.Errorf("wallet: bad transfer of %d from %s to %s", coins, from, to)
	}
	src, err := b.wallet(from)
	if err != nil {
		return err
	}
	dst, err := b.wallet(to)
	if err != nil {
		return err
	}
	defer lockPair(src, dst)()
	if src.coins < coins {
		return ErrInsufficient
	}
	src.coins -= coins
	dst.coins += coins
	return nil
}

// Coins returns the balance of a player.
func (b *Bank) Coins(player string) (int64, error) {
	w, err := b.wallet(player)
	if err != nil {
		return 0, err
	}
	return w.balance(), nil
}

func (w *Wallet) balance() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.coins
}

// circulating sums up the coins of all wallets.
func (b *Bank) circulating() int64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var sum int64
	for _, w := range b.order {
		w.mu.Lock()
		sum += w.coins
		w.mu.Unlock()
	}
	return sum
}

// Audit compares the coins in circulation with the supply. When they differ
// coins were forged or destroyed.
func (b *Bank) Audit() error {
	if got := b.circulating(); got != b.supply {
		return fmt.Errorf("wallet: %d coins circulate, supply is %d", got, b.supply)
	}
	return nil
}

// Run audits the bank every period beside the running game. The first audit
// that fails ends it with a call of halt, which takes the realm offline.
func (b *Bank) Run(ctx context.Context, period time.Duration, halt func(error)) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := b.Audit(); err != nil {
				halt(err)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
