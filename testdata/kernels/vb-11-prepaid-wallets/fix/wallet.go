package wallet

import (
	"errors"
	"log/slog"
	"sync"
	"time"
)

var (
	ErrFunds  = errors.New("wallet: insufficient funds")
	ErrFrozen = errors.New("wallet: bank is frozen")
)

type Cents int64

type Bank struct {
	mu      sync.RWMutex
	issued  Cents
	frozen  bool
	balance map[string]Cents
}

// Open creates a bank in which the given deposits are the only money.
func Open(deposits map[string]Cents, every time.Duration) *Bank {
	b := &Bank{balance: make(map[string]Cents, len(deposits))}
	for who, c := range deposits {
		b.balance[who] = c
		b.issued += c
	}
	go func() {
		for range time.Tick(every) {
			if !b.Audit() {
				return
			}
		}
	}()
	return b
}

// Audit freezes the bank when money was created or destroyed.
func (b *Bank) Audit() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	var held Cents
	for _, c := range b.balance {
		held += c
	}
	if held != b.issued {
		b.frozen = true
		slog.Error("wallet: audit failed", "held", held, "issued", b.issued)
	}
	return !b.frozen
}

func (b *Bank) add(who string, amount Cents) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.addLocked(who, amount)
}

func (b *Bank) addLocked(who string, amount Cents) error {
	switch c := b.balance[who] + amount; {
	case b.frozen:
		return ErrFrozen
	case c < 0:
		return ErrFunds
	default:
		b.balance[who] = c
		return nil
	}
}

// Transfer moves amount between two wallets.
func (b *Bank) Transfer(from, to string, amount Cents) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	post := b.addLocked
	if err := post(from, -amount); err != nil {
		return err
	}
	return post(to, amount)
}

func (b *Bank) Balance(who string) Cents {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.balance[who]
}
