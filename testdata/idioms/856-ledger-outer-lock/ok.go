// Package ledger books payments between the accounts of a tenant.
package ledger

import (
	"errors"
	"fmt"
	"sync"
)

// Errors returned by the ledger.
var (
	ErrUnknown      = errors.New("ledger: unknown account")
	ErrInsufficient = errors.New("ledger: insufficient funds")
	ErrDuplicate    = errors.New("ledger: payment was booked already")
)

// Account has a balance that the balance endpoint reads all the time; that
// read does not wait for bookings in progress elsewhere.
type Account struct {
	ID string

	mu      sync.Mutex
	balance int64
	limit   int64 // how far the balance may go below zero
}

// Balance returns the balance.
func (a *Account) Balance() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

// spendable returns what can be taken from the account.
func (a *Account) spendable() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance + a.limit
}

func (a *Account) add(cents int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += cents
}

func (a *Account) setLimit(cents int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limit = cents
}

// Payment moves cents from one account to another.
type Payment struct {
	Ref      string
	From, To string
	Cents    int64
}

// Ledger is safe for concurrent use.
type Ledger struct {
	accounts map[string]*Account // fixed after New

	booking sync.Mutex // held by everything that changes an account
	journal []Payment
	refs    map[string]bool
}

// New returns a ledger with the given opening balances.
func New(opening map[string]int64) *Ledger {
	l := &Ledger{
		accounts: make(map[string]*Account, len(opening)),
		refs:     make(map[string]bool),
	}
	for id, cents := range opening {
		l.accounts[id] = &Account{ID: id, balance: cents}
	}
	return l
}

// Account returns the account with that id.
func (l *Ledger) Account(id string) (*Account, error) {
	a, ok := l.accounts[id]
	if !ok {
		return nil, ErrUnknown
	}
	return a, nil
}

// Pay books p.
func (l *Ledger) Pay(p Payment) error {
	if p.Cents <= 0 {
		return fmt.Errorf("ledger: bad amount %d", p.Cents)
	}
	from, err := l.Account(p.From)
	if err != nil {
		return err
	}
	to, err := l.Account(p.To)
	if err != nil {
		return err
	}
	l.booking.Lock()
	defer l.booking.Unlock()
	if l.refs[p.Ref] {
		return ErrDuplicate
	}
	if from.spendable() < p.Cents {
		return ErrInsufficient
	}
	from.add(-p.Cents)
	to.add(p.Cents)
	l.refs[p.Ref] = true
	l.journal = append(l.journal, p)
	return nil
}

// SetLimit changes how far an account may be overdrawn. The new limit must
// cover the present balance.
func (l *Ledger) SetLimit(id string, cents int64) error {
	a, err := l.Account(id)
	if err != nil {
		return err
	}
	l.booking.Lock()
	defer l.booking.Unlock()
	if a.Balance()+cents < 0 {
		return ErrInsufficient
	}
	a.setLimit(cents)
	return nil
}

// Total returns the sum of all balances and the number of payments so far.
func (l *Ledger) Total() (cents int64, payments int) {
	l.booking.Lock()
	defer l.booking.Unlock()
	for _, a := range l.accounts {
		cents += a.Balance()
	}
	return cents, len(l.journal)
}
