// Package a keeps the stock of a warehouse: units on the shelf and the holds
// that open orders have on them.
package a

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrNoHold   = errors.New("stock: no such hold")
	ErrTooFew   = errors.New("stock: not enough units")
	ErrQuantity = errors.New("stock: quantity must be positive")
)

type line struct {
	onHand int // units on the shelf
	held   int // units promised to open orders, at most onHand
}

func (l *line) free() int { return l.onHand - l.held }

type hold struct {
	sku string
	qty int
}

// Stock is the inventory of one warehouse.
type Stock struct {
	mu    sync.Mutex
	seq   int
	lines map[string]*line
	holds map[string]hold
}

// NewStock returns an empty warehouse.
func NewStock() *Stock {
	return &Stock{lines: make(map[string]*line), holds: make(map[string]hold)}
}

// Receive puts delivered units on the shelf.
func (s *Stock) Receive(sku string, qty int) error {
	if qty <= 0 {
		return ErrQuantity
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[sku]
	if l == nil {
		l = &line{}
		s.lines[sku] = l
	}
	l.onHand += qty
	return nil
}

// Hold promises qty units of sku to an order and returns the hold's number.
func (s *Stock) Hold(sku string, qty int) (string, error) {
	if qty <= 0 {
		return "", ErrQuantity
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[sku]
	if l == nil || l.free() < qty {
		return "", ErrTooFew
	}
	l.held += qty
	s.seq++
	id := fmt.Sprintf("H%06d", s.seq)
	s.holds[id] = hold{sku: sku, qty: qty}
	return id, nil
}

// takeHold ends a hold and returns what it was for. s.mu must be held.
func (s *Stock) takeHold(id string) (hold, error) {
	h, ok := s.holds[id]
	if !ok {
		return hold{}, ErrNoHold
	}
	delete(s.holds, id)
	s.lines[h.sku].held -= h.qty
	return h, nil
}

// Release gives the units of a cancelled order back.
func (s *Stock) Release(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.takeHold(id)
	return err
}

// Ship ends the hold of an order that leaves the house, and takes its units
// off the shelf.
func (s *Stock) Ship(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.takeHold(id)
	if err != nil {
		return err
	}
	s.lines[h.sku].onHand -= h.qty
	return nil
}

// Available returns the number of units that can still be promised.
func (s *Stock) Available(sku string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lines[sku]; l != nil {
		return l.free()
	}
	return 0
}
