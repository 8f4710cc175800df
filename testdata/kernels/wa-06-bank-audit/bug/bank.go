package bank

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrFunds  = errors.New("bank: insufficient funds")
	ErrFrozen = errors.New("bank: books frozen")
)

// Bank keeps balances; the sum of all balances is what has been minted.
type Bank struct {
	mu     sync.Mutex
	bal    map[string]int64
	minted int64
	frozen bool
	every  time.Duration
}

// Open starts a bank whose books are audited at the given interval.
func Open(every time.Duration) *Bank {
	b := &Bank{bal: make(map[string]int64), every: every}
	time.AfterFunc(every, b.audit)
	return b
}

func (b *Bank) Mint(acct string, n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.frozen {
		return ErrFrozen
	}
	b.bal[acct] += n
	b.minted += n
	return nil
}

func (b *Bank) Transfer(from, to string, n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.frozen:
		return ErrFrozen
	case b.bal[from] < n:
		return ErrFunds
	}
	b.bal[from] -= n
	b.bal[to] += n
	return nil
}

func (b *Bank) Balance(acct string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bal[acct]
}

func (b *Bank) accounts() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	names := make([]string, 0, len(b.bal))
	for a := range b.bal {
		names = append(names, a)
	}
	return names
}

// audit freezes the books when money has appeared or vanished.
func (b *Bank) audit() {
	defer time.AfterFunc(b.every, b.audit)
	var sum int64
	for _, a := range b.accounts() {
		sum += b.Balance(a)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if sum != b.minted {
		b.frozen = true
	}
}
