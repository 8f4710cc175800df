// Package storeok is the store of store with the look for an order and its
// treatment in one critical section, and with the whole supply in another.
//
// No violation: an order that was seen is there, and every critical section
// leaves number and note of a product fit together.
package storeok

import (
	"errors"
	"sync"
	"sync/atomic"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

const products = 2

var errInconsistent = errors.New("number and note of a product do not fit together")

// A product is sold out if and only if its number is 0.
type product struct {
	number  int
	soldOut bool
}

// An order is for some pieces of one product.
type order struct{ product, number int }

// A Store has products and the orders for them, the oldest one first.
type Store struct {
	mu       sync.Mutex
	products [products]product
	orders   []*order
	sold     int
}

// NewStore returns a store in which everything is sold out.
func NewStore() *Store {
	s := new(Store)
	for p := range s.products {
		s.products[p].soldOut = true
	}
	return s
}

// Buy leaves an order in the store.
func (s *Store) Buy(p, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orders = append(s.orders, &order{p, number})
}

// treatOrder sells what the oldest order asks for, or as much as is there, and
// tells whether there was an order.
func (s *Store) treatOrder() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.orders) == 0 {
		return false
	}
	pause()
	o := s.orders[0]
	s.orders = s.orders[1:]
	p := &s.products[o.product]
	number := min(o.number, p.number)
	p.number -= number
	p.soldOut = p.number == 0
	s.sold += number
	return true
}

// IsConsistent tells whether what the store says about product p fits together.
func (s *Store) IsConsistent(p int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.products[p].soldOut == (s.products[p].number == 0)
}

// Supply brings some pieces of product p.
func (s *Store) Supply(p, number int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.products[p].soldOut != (s.products[p].number == 0) {
		return errInconsistent
	}
	s.products[p].number += number
	pause()
	s.products[p].soldOut = false
	return nil
}

// work treats an order if there is one and tells whether there was.
func work(s *Store) bool { return s.treatOrder() }

// worker treats orders until there are no more to come. A panic ends the worker,
// not the program.
func worker(s *Store, closed *atomic.Bool) (failed error) {
	defer func() {
		if r := recover(); r != nil {
			failed = r.(error)
		}
	}()
	for {
		last := closed.Load()
		if treated := work(s); last && !treated {
			return nil
		}
	}
}

// supplier brings every product ten times.
func supplier(s *Store) error {
	for i := range 10 * products {
		if err := s.Supply(i%products, 3); err != nil {
			return err
		}
	}
	return nil
}

// client buys every product ten times.
func client(s *Store) {
	for i := range 10 * products {
		s.Buy(i%products, 1)
	}
}

// Run opens a store for three clients, workers and suppliers.
func Run() (s *Store, failed [6]error) {
	s = NewStore()
	var closed atomic.Bool
	var clients, others sync.WaitGroup
	for i := range 3 {
		clients.Go(func() { client(s) })
		others.Go(func() { failed[i] = worker(s, &closed) })
		others.Go(func() { failed[3+i] = supplier(s) })
	}
	clients.Wait()
	closed.Store(true)
	others.Wait()
	return s, failed
}
