package loops

import (
	"errors"
	"sync"
)

var errShort = errors.New("not enough")

// An Item has a lock of its own.
type Item struct {
	mu    sync.Mutex
	stock int
}

func (i *Item) Stock() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.stock
}

func (i *Item) Take(n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stock -= n
}

// TryTake looks again.
func (i *Item) TryTake(n int) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stock < n {
		return false
	}
	i.stock -= n
	return true
}

type Line struct {
	Item *Item
	N    int
}

// Store sells to many at once.
type Store struct {
	orders sync.Mutex
}

// Order has all items looked at before the first is taken.
func (s *Store) Order(lines []Line) error {
	for _, l := range lines {
		if l.Item.Stock() < l.N {
			return errShort
		}
	}
	for _, l := range lines {
		l.Item.Take(l.N) // want `check-then-act: Item.stock was checked at line \d+`
	}
	return nil
}

// OrderAgain gives back what it has taken if there is not enough of the next one.
func (s *Store) OrderAgain(lines []Line) error {
	for _, l := range lines {
		if l.Item.Stock() < l.N {
			return errShort
		}
	}
	for i, l := range lines {
		if !l.Item.TryTake(l.N) {
			for _, taken := range lines[:i] {
				taken.Item.Take(-taken.N)
			}
			return errShort
		}
	}
	return nil
}

// Shelf has one lock for all, and is asked for each.
type Shelf struct {
	mu sync.Mutex
	n  map[string]int
}

func (s *Shelf) Has(sku string, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n[sku] >= n
}

func (s *Shelf) Take(sku string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n[sku] -= n
}

type Want struct {
	SKU string
	N   int
}

func (s *Shelf) Pick(wants []Want) error {
	for _, w := range wants {
		if !s.Has(w.SKU, w.N) {
			return errShort
		}
	}
	for i := range wants {
		s.Take(wants[i].SKU, wants[i].N) // want `check-then-act: s.n\[w.SKU\] was checked at line \d+`
	}
	return nil
}

// Rack has an outer lock that all who take hold.
type Rack struct {
	picking sync.Mutex
	mu      sync.Mutex
	n       map[string]int
}

func (r *Rack) has(sku string, n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n[sku] >= n
}

func (r *Rack) take(sku string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n[sku] -= n
}

func (r *Rack) Pick(wants []Want) error {
	r.picking.Lock()
	defer r.picking.Unlock()
	for _, w := range wants {
		if !r.has(w.SKU, w.N) {
			return errShort
		}
	}
	for _, w := range wants {
		r.take(w.SKU, w.N)
	}
	return nil
}
