// Package budget admits bids against the budget of a campaign.
package budget

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

var (
	ErrSpent   = errors.New("budget: nothing left")
	ErrUnknown = errors.New("budget: unknown campaign")
)

// counter never admits more than limit.
type counter struct {
	limit int64
	used  atomic.Int64
}

func (c *counter) exhausted() bool { return c.used.Load() >= c.limit }

func (c *counter) reserve(n int64) bool {
	if c.used.Add(n) <= c.limit {
		return true
	}
	c.used.Add(-n)
	return false
}

func (c *counter) refund(n int64) { c.used.Add(-n) }

// Reservation is money that is held for a bid.
type Reservation struct {
	c      *counter
	amount int64
	once   sync.Once
}

// Lost gives the money back; it may be called more than once.
func (r *Reservation) Lost() {
	r.once.Do(func() { r.c.refund(r.amount) })
}

// Won keeps the money.
func (r *Reservation) Won() {
	r.once.Do(func() {})
}

type Budgets struct {
	mu  sync.RWMutex
	all map[string]*counter
}

func New(limits map[string]int64) *Budgets {
	b := &Budgets{all: make(map[string]*counter, len(limits))}
	for id, l := range limits {
		b.all[id] = &counter{limit: l}
	}
	return b
}

func (b *Budgets) counter(id string) (*counter, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if c, ok := b.all[id]; ok {
		return c, nil
	}
	return nil, ErrUnknown
}

// Reserve holds amount of the budget for one bid.
func (b *Budgets) Reserve(id string, amount int64) (*Reservation, error) {
	c, err := b.counter(id)
	if err != nil {
		return nil, err
	}
	if c.exhausted() {
		return nil, ErrSpent
	}
	if !c.reserve(amount) {
		return nil, ErrSpent
	}
	return &Reservation{c: c, amount: amount}, nil
}

func (b *Budgets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	amount, err := strconv.ParseInt(r.FormValue("amount"), 10, 64)
	if err != nil || amount <= 0 {
		http.Error(w, "amount", http.StatusBadRequest)
		return
	}
	res, err := b.Reserve(r.PathValue("campaign"), amount)
	if err != nil {
		http.Error(w, err.Error(), http.StatusPaymentRequired)
		return
	}
	res.Won()
	_ = json.NewEncoder(w).Encode(map[string]int64{"reserved": amount})
}
