// Package a exports account statements as CSV.
package a

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Entry is one booking; amounts are in cents.
type Entry struct {
	At     time.Time
	Text   string
	Amount int64
}

type ledger struct {
	entries []Entry
	balance int64
}

// Account is read far more often than it is booked on; readers see an
// immutable ledger.
type Account struct {
	IBAN string

	post sync.Mutex
	cur  atomic.Pointer[ledger]
}

// NewAccount returns an account with nothing booked.
func NewAccount(iban string) *Account {
	a := &Account{IBAN: iban}
	a.cur.Store(&ledger{})
	return a
}

// Book adds an entry to the account.
func (a *Account) Book(e Entry) error {
	if e.Amount == 0 {
		return errors.New("account: empty booking")
	}
	a.post.Lock()
	defer a.post.Unlock()
	old := a.cur.Load()
	a.cur.Store(&ledger{
		entries: append(old.entries[:len(old.entries):len(old.entries)], e),
		balance: old.balance + e.Amount,
	})
	return nil
}

// Balance returns the current balance.
func (a *Account) Balance() int64 { return a.cur.Load().balance }

// Entries returns all bookings, oldest first. The slice is read-only.
func (a *Account) Entries() []Entry { return a.cur.Load().entries }

// WriteStatement writes the bookings since from, with the opening and the
// closing balance.
func WriteStatement(w io.Writer, a *Account, from time.Time) error {
	entries := a.Entries()
	closing := a.Balance()
	first := len(entries)
	opening := closing
	for first > 0 && !entries[first-1].At.Before(from) {
		first--
		opening -= entries[first].Amount
	}

	out := csv.NewWriter(w)
	_ = out.Write([]string{"opening", a.IBAN, cents(opening)})
	for _, e := range entries[first:] {
		_ = out.Write([]string{e.At.Format(time.DateOnly), e.Text, cents(e.Amount)})
	}
	_ = out.Write([]string{"closing", a.IBAN, cents(closing)})
	out.Flush()
	return out.Error()
}

func cents(v int64) string {
	return strconv.FormatFloat(float64(v)/100, 'f', 2, 64)
}

// Exporter writes statements of many accounts.
type Exporter struct {
	Open    func(iban string) (io.WriteCloser, error)
	Workers int
}

// Export writes one statement per account.
func (x *Exporter) Export(ctx context.Context, accts []*Account, from time.Time) error {
	jobs := make(chan *Account)
	errs := make(chan error, x.Workers)
	for range x.Workers {
		go func() {
			var all []error
			for a := range jobs {
				if err := x.one(a, from); err != nil {
					all = append(all, fmt.Errorf("%s: %w", a.IBAN, err))
				}
			}
			errs <- errors.Join(all...)
		}()
	}
	var all []error
feed:
	for _, a := range accts {
		select {
		case jobs <- a:
		case <-ctx.Done():
			all = append(all, ctx.Err())
			break feed
		}
	}
	close(jobs)
	for range x.Workers {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

func (x *Exporter) one(a *Account, from time.Time) error {
	f, err := x.Open(a.IBAN)
	if err != nil {
		return err
	}
	return errors.Join(WriteStatement(f, a, from), f.Close())
}
