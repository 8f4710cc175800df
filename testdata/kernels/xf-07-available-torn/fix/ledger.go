// Package ledger keeps card accounts: posted balances and the authorisation
// holds against them.
package ledger

import (
	"errors"
	"fmt"
	"sync"
)

// Errors returned by the ledger.
var (
	ErrNoAccount = errors.New("ledger: no such account")
	ErrNoHold    = errors.New("ledger: no such hold")
	ErrDuplicate = errors.New("ledger: duplicate id")
	ErrFunds     = errors.New("ledger: insufficient funds")
)

// Cents is an amount of money.
type Cents int64

// Entry is one posting.
type Entry struct {
	Ref    string
	Amount Cents
}

// account is the state of one customer. A hold reserves money until it is
// captured (and becomes a posting) or released.
type account struct {
	mu      sync.RWMutex
	posted  Cents
	entries []Entry
	holds   map[string]Cents
}

// balance returns the sum of the postings.
func (a *account) balance() Cents {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.posted
}

// held returns the sum of the open holds.
func (a *account) held() Cents {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.heldLocked()
}

func (a *account) heldLocked() Cents {
	var sum Cents
	for _, amt := range a.holds {
		sum += amt
	}
	return sum
}

// available returns the postings less the open holds.
func (a *account) available() Cents {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.posted - a.heldLocked()
}

// post appends a posting. The caller holds a.mu.
func (a *account) post(ref string, amt Cents) {
	a.posted += amt
	a.entries = append(a.entries, Entry{Ref: ref, Amount: amt})
}

// Ledger is the set of accounts. The API handlers and the settlement workers
// use it concurrently.
type Ledger struct {
	mu       sync.RWMutex
	accounts map[string]*account
}

// New returns an empty ledger.
func New() *Ledger { return &Ledger{accounts: make(map[string]*account)} }

// Open creates an account. Accounts are never deleted.
func (l *Ledger) Open(id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.accounts[id]; ok {
		return ErrDuplicate
	}
	l.accounts[id] = &account{holds: make(map[string]Cents)}
	return nil
}

func (l *Ledger) account(id string) (*account, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	a, ok := l.accounts[id]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoAccount, id)
	}
	return a, nil
}

// Deposit credits an account.
func (l *Ledger) Deposit(id, ref string, amt Cents) error {
	a, err := l.account(id)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.post(ref, amt)
	return nil
}

// Authorise places a hold if the available balance covers it.
func (l *Ledger) Authorise(id, hold string, amt Cents) error {
	a, err := l.account(id)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.holds[hold]; ok {
		return ErrDuplicate
	}
	if a.posted-a.heldLocked() < amt {
		return ErrFunds
	}
	a.holds[hold] = amt
	return nil
}

// Capture turns a hold into a posting.
func (l *Ledger) Capture(id, hold string) error {
	a, err := l.account(id)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	amt, ok := a.holds[hold]
	if !ok {
		return ErrNoHold
	}
	delete(a.holds, hold)
	a.post(hold, -amt)
	return nil
}

// Release cancels a hold.
func (l *Ledger) Release(id, hold string) error {
	a, err := l.account(id)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.holds[hold]; !ok {
		return ErrNoHold
	}
	delete(a.holds, hold)
	return nil
}

// Balance returns the posted balance.
func (l *Ledger) Balance(id string) (Cents, error) {
	a, err := l.account(id)
	if err != nil {
		return 0, err
	}
	return a.balance(), nil
}

// Held returns the total of the open holds.
func (l *Ledger) Held(id string) (Cents, error) {
	a, err := l.account(id)
	if err != nil {
		return 0, err
	}
	return a.held(), nil
}

// Available returns what the customer can spend: the posted balance less the
// open holds.
func (l *Ledger) Available(id string) (Cents, error) {
	a, err := l.account(id)
	if err != nil {
		return 0, err
	}
	return a.available(), nil
}

// Entries returns a copy of the postings.
func (l *Ledger) Entries(id string) ([]Entry, error) {
	a, err := l.account(id)
	if err != nil {
		return nil, err
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return append([]Entry(nil), a.entries...), nil
}
