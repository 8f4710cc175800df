// Package book is an in-memory double-entry ledger.
package book

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrUnbalanced = errors.New("book: legs do not sum to zero")
	ErrNoAccount  = errors.New("book: no such account")
)

// Leg is one side of a transaction; negative amounts are debits.
type Leg struct {
	Account string
	Amount  int64
}

// Entry is a leg as written to the journal.
type Entry struct {
	Seq  uint64
	At   time.Time
	Memo string
	Leg
}

// Statement lists the movements of an account and where they end.
type Statement struct {
	Account string
	Lines   []Entry
	Closing int64
}

// Reconcile reports the difference between the lines and the closing balance.
func (s Statement) Reconcile() error {
	var sum int64
	for _, e := range s.Lines {
		sum += e.Amount
	}
	if sum != s.Closing {
		return fmt.Errorf("book: account %s: lines sum to %d, closing balance is %d", s.Account, sum, s.Closing)
	}
	return nil
}

// Book holds the journal and the running balances.
type Book struct {
	sync.RWMutex

	seq      uint64
	journal  []Entry
	balances map[string]int64
	now      func() time.Time
}

// Open returns a book with the given accounts, all at zero.
func Open(accounts ...string) *Book {
	b := &Book{balances: make(map[string]int64, len(accounts)), now: time.Now}
	for _, a := range accounts {
		b.balances[a] = 0
	}
	return b
}

func (b *Book) validate(legs []Leg) error {
	var sum int64
	for _, l := range legs {
		sum += l.Amount
	}
	if sum != 0 {
		return fmt.Errorf("%w: off by %d", ErrUnbalanced, sum)
	}
	b.RLock()
	defer b.RUnlock()
	for _, l := range legs {
		if _, ok := b.balances[l.Account]; !ok {
			return fmt.Errorf("%w: %s", ErrNoAccount, l.Account)
		}
	}
	return nil
}

// Post writes a balanced transaction. Accounts are never removed from a book.
func (b *Book) Post(memo string, legs ...Leg) error {
	if err := b.validate(legs); err != nil {
		return err
	}
	b.Lock()
	defer b.Unlock()
	b.appendEntries(memo, legs)
	b.applyBalances(legs)
	return nil
}

func (b *Book) appendEntries(memo string, legs []Leg) {
	at := b.now()
	for _, l := range legs {
		b.seq++
		b.journal = append(b.journal, Entry{Seq: b.seq, At: at, Memo: memo, Leg: l})
	}
}

func (b *Book) applyBalances(legs []Leg) {
	for _, l := range legs {
		b.balances[l.Account] += l.Amount
	}
}

// Statement returns all movements of account.
func (b *Book) Statement(account string) (Statement, error) {
	b.RLock()
	defer b.RUnlock()
	closing, ok := b.balances[account]
	if !ok {
		return Statement{}, fmt.Errorf("%w: %s", ErrNoAccount, account)
	}
	st := Statement{Account: account, Closing: closing}
	for _, e := range b.journal {
		if e.Account == account {
			st.Lines = append(st.Lines, e)
		}
	}
	return st, nil
}
