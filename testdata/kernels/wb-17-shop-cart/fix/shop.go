// Package shop has the carts of the customers.
package shop

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrNoCart = errors.New("shop: no such cart")
	ErrFull   = errors.New("shop: cart is full")
)

const maxItems = 50

// Item is something in a cart.
type Item struct {
	SKU   string
	Cents int64
}

type cart struct {
	mu    sync.Mutex
	items []Item
	ended bool
}

// Shop has all carts. A cart ends with Checkout, or after a time.
type Shop struct {
	ttl   time.Duration
	seq   atomic.Int64
	carts sync.Map // of *cart by int64
}

// New returns a shop whose carts last for ttl.
func New(ttl time.Duration) *Shop { return &Shop{ttl: ttl} }

// Open makes a cart and returns its number, which is not used again.
func (s *Shop) Open() int64 {
	id := s.seq.Add(1)
	s.carts.Store(id, &cart{})
	time.AfterFunc(s.ttl, func() { s.end(id) })
	return id
}

// Add puts an item into a cart. The item is part of the order if there is no
// error.
func (s *Shop) Add(id int64, it Item) error {
	v, ok := s.carts.Load(id)
	if !ok {
		return ErrNoCart
	}
	c := v.(*cart)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return ErrNoCart
	}
	if len(c.items) >= maxItems {
		return ErrFull
	}
	c.items = append(c.items, it)
	return nil
}

func (s *Shop) end(id int64) ([]Item, bool) {
	v, ok := s.carts.LoadAndDelete(id)
	if !ok {
		return nil, false
	}
	c := v.(*cart)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	return c.items, true
}

// Checkout ends a cart and returns what is in it and what it costs.
func (s *Shop) Checkout(id int64) (items []Item, cents int64, err error) {
	items, ok := s.end(id)
	if !ok {
		return nil, 0, ErrNoCart
	}
	for _, it := range items {
		cents += it.Cents
	}
	return items, cents, nil
}
