// Package ledger is the double-entry book of the wallet service.
package ledger

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors returned by Ledger.
var (
	ErrNoAccount = errors.New("ledger: no such account")
	ErrFunds     = errors.New("ledger: insufficient funds")
	ErrUneven    = errors.New("ledger: books do not balance")
	ErrFrozen    = errors.New("ledger: frozen")
)

// Entry is one side of a posting.
type Entry struct {
	Account string
	Cents   int64
	Memo    string
	At      time.Time
}

type account struct {
	balance   int64
	overdraft bool // house accounts may go below zero
}

// Ledger holds the accounts and the journal.
type Ledger struct {
	mu       sync.Mutex
	accounts map[string]*account
	journal  []Entry
	frozen   bool
}

// New returns an empty ledger.
func New() *Ledger { return &Ledger{accounts: make(map[string]*account)} }

// Open adds an account with a balance of zero.
func (l *Ledger) Open(name string, overdraft bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.accounts[name]; !ok {
		l.accounts[name] = &account{overdraft: overdraft}
	}
}

// postLocked books one entry.
func (l *Ledger) postLocked(name string, cents int64, memo string) error {
	if l.frozen {
		return ErrFrozen
	}
	a, ok := l.accounts[name]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoAccount, name)
	}
	if cents < 0 && !a.overdraft && a.balance+cents < 0 {
		return fmt.Errorf("%w: %s", ErrFunds, name)
	}
	a.balance += cents
	l.journal = append(l.journal, Entry{Account: name, Cents: cents, Memo: memo, At: time.Now()})
	return nil
}

// Transfer moves cents from one account to another.
func (l *Ledger) Transfer(from, to string, cents int64, memo string) error {
	if cents <= 0 {
		return fmt.Errorf("ledger: bad amount %d", cents)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.postLocked(from, -cents, memo); err != nil {
		return err
	}
	if err := l.postLocked(to, cents, memo); err != nil {
		if back := l.postLocked(from, cents, "reversal: "+memo); back != nil {
			return errors.Join(err, back)
		}
		return err
	}
	return nil
}

// Balance returns the balance of an account.
func (l *Ledger) Balance(name string) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.accounts[name]
	if !ok {
		return 0, ErrNoAccount
	}
	return a.balance, nil
}

// CloseDay checks that the books balance and returns the journal of the day.
// If they do not, the ledger is frozen until somebody has had a look.
func (l *Ledger) CloseDay() ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var sum int64
	for _, a := range l.accounts {
		sum += a.balance
	}
	if sum != 0 {
		l.frozen = true
		return nil, fmt.Errorf("%w: off by %d", ErrUneven, sum)
	}
	day := l.journal
	l.journal = nil
	return day, nil
}
