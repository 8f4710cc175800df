// Package margin watches the accounts of a derivatives broker and freezes
// those that are under water.
package margin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Cents is an amount of money.
type Cents int64

// Fill is an execution report; Qty is negative for a sale.
type Fill struct {
	Account string
	Symbol  string
	Qty     int64
	Price   Cents
}

func (f Fill) notional() Cents { return Cents(f.Qty) * f.Price }

// Quotes gives the marks of all symbols.
type Quotes interface {
	Mark(symbol string) Cents
}

// Desk is told about margin calls; a trader has to clear the account.
type Desk interface {
	MarginCall(ctx context.Context, account string) error
}

// Errors of the ledger.
var (
	ErrNoAccount = errors.New("margin: no such account")
	ErrFrozen    = errors.New("margin: account is frozen")
)

type account struct {
	cash      Cents
	positions map[string]int64
	minimum   Cents
	frozen    bool
}

func (a *account) move(symbol string, qty int64) {
	a.positions[symbol] += qty
	if a.positions[symbol] == 0 {
		delete(a.positions, symbol)
	}
}

// Ledger holds the accounts.
type Ledger struct {
	quotes Quotes

	mu       *sync.RWMutex
	accounts map[string]*account
}

// NewLedger returns an empty ledger.
func NewLedger(q Quotes) *Ledger {
	return &Ledger{quotes: q, mu: new(sync.RWMutex), accounts: make(map[string]*account)}
}

// Open adds an account.
func (l *Ledger) Open(id string, deposit, minimum Cents) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accounts[id] = &account{cash: deposit, minimum: minimum, positions: make(map[string]int64)}
}

// Deposit adds money; a negative amount is a withdrawal or a fee.
func (l *Ledger) Deposit(id string, amount Cents) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.accounts[id]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoAccount, id)
	}
	a.cash += amount
	return nil
}

// Transfer books contracts in or out.
func (l *Ledger) Transfer(id, symbol string, qty int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.accounts[id]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoAccount, id)
	}
	a.move(symbol, qty)
	return nil
}

// Book records a fill.
func (l *Ledger) Book(f Fill) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.accounts[f.Account]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoAccount, f.Account)
	}
	a.cash -= f.notional()
	a.move(f.Symbol, f.Qty)
	return nil
}

// Check tells whether an account may place orders.
func (l *Ledger) Check(id string) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	a, ok := l.accounts[id]
	switch {
	case !ok:
		return fmt.Errorf("%w: %s", ErrNoAccount, id)
	case a.frozen:
		return fmt.Errorf("%w: %s", ErrFrozen, id)
	}
	return nil
}

// freeze stops the accounts whose equity is below their minimum and returns
// those that were not frozen before.
func (l *Ledger) freeze() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []string
	for id, a := range l.accounts {
		if a.frozen {
			continue
		}
		equity := a.cash
		for symbol, qty := range a.positions {
			equity += Cents(qty) * l.quotes.Mark(symbol)
		}
		if equity < a.minimum {
			a.frozen = true
			ids = append(ids, id)
		}
	}
	return ids
}

// Clear lifts the freeze of an account.
func (l *Ledger) Clear(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, ok := l.accounts[id]; ok {
		a.frozen = false
	}
}

// Service runs the ledger.
type Service struct {
	ledger *Ledger
	desk   Desk
	log    *slog.Logger
}

// NewService connects a ledger with a desk.
func NewService(l *Ledger, desk Desk, log *slog.Logger) *Service {
	return &Service{ledger: l, desk: desk, log: log}
}

// Run books fills and checks margins until ctx is done.
func (s *Service) Run(ctx context.Context, fills <-chan Fill, every time.Duration) {
	var wg sync.WaitGroup
	wg.Go(func() { s.watch(ctx, every) })
	defer wg.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-fills:
			if err := s.ledger.Book(f); err != nil {
				s.log.Error("fill not booked", "account", f.Account, "err", err)
			}
		}
	}
}

func (s *Service) watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, id := range s.ledger.freeze() {
			s.log.Warn("account frozen", "account", id)
			if err := s.desk.MarginCall(ctx, id); err != nil {
				s.log.Error("margin call", "account", id, "err", err)
			}
		}
	}
}
