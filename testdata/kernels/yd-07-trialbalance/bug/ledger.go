// Package ledger is the internal double-entry ledger of the payment platform.
// Money only moves between its accounts, so all balances add up to zero.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"
)

var (
	// ErrUnknown is returned for an account that does not exist.
	ErrUnknown = errors.New("ledger: unknown account")
	// ErrLimit is returned when an account would pass its overdraft limit.
	ErrLimit = errors.New("ledger: overdraft limit")
)

// Entry is one line of an account.
type Entry struct {
	Ref    string
	Amount int64 // in cents, negative when money leaves
}

type account struct {
	name      string
	overdraft int64

	mu      sync.Mutex
	balance int64
	entries []Entry
}

func (a *account) post(ref string, amount int64) {
	a.balance += amount
	a.entries = append(a.entries, Entry{Ref: ref, Amount: amount})
}

// Ledger is a fixed set of accounts. It is safe for concurrent use.
type Ledger struct {
	byName map[string]*account // not changed after New
	sorted []*account          // by name, not changed after New
}

// New opens a ledger with the given accounts and their overdraft limits.
func New(overdrafts map[string]int64) *Ledger {
	l := &Ledger{byName: make(map[string]*account, len(overdrafts))}
	for name, limit := range overdrafts {
		a := &account{name: name, overdraft: limit}
		l.byName[name] = a
		l.sorted = append(l.sorted, a)
	}
	sort.Slice(l.sorted, func(i, j int) bool { return l.sorted[i].name < l.sorted[j].name })
	return l
}

// Transfer moves amount cents between two accounts.
func (l *Ledger) Transfer(ref, from, to string, amount int64) error {
	src, dst := l.byName[from], l.byName[to]
	if src == nil || dst == nil {
		return ErrUnknown
	}
	if src == dst || amount <= 0 {
		return fmt.Errorf("ledger: bad transfer %s", ref)
	}
	// Accounts are always locked by name.
	first, second := src, dst
	if second.name < first.name {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	if src.balance-amount < -src.overdraft {
		return ErrLimit
	}
	src.post(ref, -amount)
	dst.post(ref, amount)
	return nil
}

// Statement returns the balance of an account and the entries that make it.
func (l *Ledger) Statement(name string) (int64, []Entry, error) {
	a := l.byName[name]
	if a == nil {
		return 0, nil, ErrUnknown
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance, append([]Entry(nil), a.entries...), nil
}

// TrialBalance returns the sum of all balances. Anything but zero means that
// the books are broken.
func (l *Ledger) TrialBalance() int64 {
	var sum int64
	for _, a := range l.sorted {
		a.mu.Lock()
		sum += a.balance
		a.mu.Unlock()
	}
	return sum
}

// Audit checks the books at an interval until ctx ends and calls alert with
// the difference when they do not balance. Finance stops payouts on an alert.
func (l *Ledger) Audit(ctx context.Context, every time.Duration, alert func(diff int64)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if diff := l.TrialBalance(); diff != 0 {
				alert(diff)
			}
		}
	}
}
