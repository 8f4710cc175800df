// Package storeindex is the store of store whose TreatOrder does not look for itself
// whether there is an order.
//
// AV1, HasOrders and TreatOrder in work: a worker sees that there is an order;
// another one takes it; the first one takes the oldest of no orders and panics.
//
// AV2, incNumber and setSoldOut in Supply: between the two the product is there
// and sold out, which IsConsistent and so another supplier sees. If a worker
// sells the whole number between the two, the product remains not sold out with
// none of it there.
//
// Selling is right: TreatOrder changes the number and the note in one critical
// section. So is the check at the beginning of Supply, which only refuses: what
// is added does not depend on it.
package storeindex

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

// HasOrders tells whether an order waits.
func (s *Store) HasOrders() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.orders) > 0
}

// TreatOrder sells what the oldest order asks for, or as much as is there. It does
// not look whether there is an order, and panics if there is none.
func (s *Store) TreatOrder() {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[0]
	s.orders = s.orders[1:]
	p := &s.products[o.product]
	number := min(o.number, p.number)
	p.number -= number
	p.soldOut = p.number == 0
	s.sold += number
}

// IsConsistent tells whether what the store says about product p fits together.
func (s *Store) IsConsistent(p int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.products[p].soldOut == (s.products[p].number == 0)
}

func (s *Store) incNumber(p, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.products[p].number += number
}

func (s *Store) setSoldOut(p int, soldOut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.products[p].soldOut = soldOut
}

// Supply brings some pieces of product p.
func (s *Store) Supply(p, number int) error {
	if !s.IsConsistent(p) {
		return errInconsistent
	}
	s.incNumber(p, number) // AV2: the first write
	pause()
	s.setSoldOut(p, false) // AV2: the second write
	return nil
}

// work treats an order if there is one and tells whether there was.
func work(s *Store) bool {
	if !s.HasOrders() { // AV1: the check
		return false
	}
	pause()
	s.TreatOrder() // AV1: the act
	return true
}

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
