// Package storeerror is the variant of store whose second step refuses with an
// error: clients leave orders, workers treat them, suppliers bring products, and
// treating an order returns an error if there is none.
//
// AV1, HasOrders and TreatOrder in work: a worker sees that there is an order;
// another one takes it; the first one finds none and fails.
//
// AV2, incNumber and setSoldOut in Supply: between the two the product is there
// and sold out, which IsConsistent and so another supplier sees. If a worker
// sells the whole number between the two, the product remains not sold out with
// none of it there.
//
// Selling is right: TreatOrder changes the number and the note in one critical
// section. So is the check at the beginning of Supply, which only refuses: what
// is added does not depend on it.
package storeerror

import (
	"errors"
	"sync"
	"sync/atomic"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

const products = 2

var (
	errNoOrder      = errors.New("no order to treat")
	errInconsistent = errors.New("number and note of a product do not fit together")
)

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

// oldest takes the oldest order, nil if there is none. It is called with the lock.
func (s *Store) oldest() *order {
	if len(s.orders) == 0 {
		return nil
	}
	o := s.orders[0]
	s.orders = s.orders[1:]
	return o
}

// TreatOrder sells what the oldest order asks for, or as much as is there.
func (s *Store) TreatOrder() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.oldest()
	if o == nil {
		return errNoOrder
	}
	p := &s.products[o.product]
	number := min(o.number, p.number)
	p.number -= number
	p.soldOut = p.number == 0
	s.sold += number
	return nil
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
func work(s *Store) (treated bool, err error) {
	if !s.HasOrders() { // AV1: the check
		return false, nil
	}
	pause()
	return true, s.TreatOrder() // AV1: the act
}

// worker treats orders until there are no more to come.
func worker(s *Store, closed *atomic.Bool) error {
	for {
		last := closed.Load()
		treated, err := work(s)
		if err != nil || last && !treated {
			return err
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
