package wallet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

var (
	ErrFrozen       = errors.New("wallet: ledger is frozen")
	ErrInsufficient = errors.New("wallet: insufficient funds")
)

// Ledger keeps the customers' balances in cents.
type Ledger struct {
	mu       sync.RWMutex
	balances map[string]int64
	float    int64 // customers' money held at the bank
	frozen   string
}

func NewLedger() *Ledger {
	return &Ledger{balances: make(map[string]int64)}
}

// Deposit credits money that arrived at the bank.
func (l *Ledger) Deposit(account string, cents int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen != "" {
		return ErrFrozen
	}
	l.float += cents
	l.balances[account] += cents
	return nil
}

// Withdraw pays out to the bank.
func (l *Ledger) Withdraw(account string, cents int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen != "" {
		return ErrFrozen
	}
	if l.balances[account] < cents {
		return ErrInsufficient
	}
	l.balances[account] -= cents
	l.float -= cents
	return nil
}

// Transfer moves money between two customers.
func (l *Ledger) Transfer(from, to string, cents int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen != "" {
		return ErrFrozen
	}
	if l.balances[from] < cents {
		return ErrInsufficient
	}
	l.balances[from] -= cents
	l.balances[to] += cents
	return nil
}

// Float is the money the bank must hold.
func (l *Ledger) Float() int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.float
}

// Owed is the sum of all balances.
func (l *Ledger) Owed() int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var sum int64
	for _, b := range l.balances {
		sum += b
	}
	return sum
}

// Freeze stops all movements until an operator has looked.
func (l *Ledger) Freeze(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen == "" {
		l.frozen = reason
	}
}

// Books is what the auditor needs from a ledger.
type Books interface {
	Float() int64
	Owed() int64
	Freeze(reason string)
}

// Auditor compares the two sides of the books while payments go on.
type Auditor struct {
	books Books
	log   *slog.Logger
}

func NewAuditor(b Books, log *slog.Logger) *Auditor {
	return &Auditor{books: b, log: log}
}

func (a *Auditor) check() {
	held, owed := a.books.Float(), a.books.Owed()
	if held == owed {
		return
	}
	reason := fmt.Sprintf("books differ: held %d, owed %d", held, owed)
	a.log.Error("freezing ledger", "reason", reason)
	a.books.Freeze(reason)
}

// Run audits every interval until ctx ends.
func (a *Auditor) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			a.check()
		}
	}
}

// Start opens a ledger under audit.
func Start(ctx context.Context, log *slog.Logger) *Ledger {
	l := NewLedger()
	go NewAuditor(l, log).Run(ctx, time.Minute)
	return l
}
