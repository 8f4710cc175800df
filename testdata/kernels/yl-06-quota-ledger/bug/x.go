// Package bug keeps the resource quotas of namespaces.
package bug

import (
	"errors"
	"fmt"
	"maps"
	"sync"
)

var ErrNoQuota = errors.New("quota: no such namespace")

// Amounts are quantities by resource name.
type Amounts map[string]int64

func (a Amounts) plus(b Amounts, sign int64) Amounts {
	out := maps.Clone(a)
	if out == nil {
		out = make(Amounts)
	}
	for k, v := range b {
		out[k] += sign * v
	}
	return out
}

// book is one namespace's account. Its maps are never changed in place.
type book struct {
	rev  uint64
	hard Amounts
	used Amounts
}

func (b book) fits() error {
	for k, lim := range b.hard {
		if b.used[k] > lim {
			return fmt.Errorf("quota: %s: %d over limit %d", k, b.used[k], lim)
		}
	}
	return nil
}

type Ledger struct {
	mu    sync.RWMutex
	rev   uint64
	books map[string]book
}

func NewLedger() *Ledger {
	return &Ledger{books: make(map[string]book)}
}

// SetHard creates a namespace's account or changes its limits.
func (l *Ledger) SetHard(ns string, hard Amounts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.books[ns]
	b.hard = maps.Clone(hard)
	l.rev++
	b.rev = l.rev
	l.books[ns] = b
}

// Drop closes a namespace's account.
func (l *Ledger) Drop(ns string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.books, ns)
}

func (l *Ledger) load(ns string) (book, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	b, ok := l.books[ns]
	return b, ok
}

func (l *Ledger) store(ns string, b book) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rev++
	b.rev = l.rev
	l.books[ns] = b
}

// Charge admits an object that needs the amounts.
func (l *Ledger) Charge(ns string, need Amounts) error {
	b, ok := l.load(ns)
	if !ok {
		return ErrNoQuota
	}
	b.used = b.used.plus(need, 1)
	if err := b.fits(); err != nil {
		return err
	}
	l.store(ns, b)
	return nil
}

// Refund gives back the amounts of a removed object.
func (l *Ledger) Refund(ns string, amounts Amounts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.books[ns]
	if !ok {
		return
	}
	b.used = b.used.plus(amounts, -1)
	l.rev++
	b.rev = l.rev
	l.books[ns] = b
}

// Used reports a namespace's consumption.
func (l *Ledger) Used(ns string) Amounts {
	b, _ := l.load(ns)
	return maps.Clone(b.used)
}
