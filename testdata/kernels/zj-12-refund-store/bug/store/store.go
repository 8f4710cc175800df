// Package store keeps the payments of a merchant.
package store

import (
	"errors"
	"sync"
)

var (
	// ErrNotFound is returned for unknown payment IDs.
	ErrNotFound = errors.New("store: no such payment")
	// ErrExists is returned when a payment is inserted twice.
	ErrExists = errors.New("store: payment exists")
)

// Payment is the state of one payment, amounts in minor units.
type Payment struct {
	ID       string
	Captured int64
	Refunded int64
	Disputed bool
	Notes    string
}

// Refundable is what can still be given back.
func (p Payment) Refundable() int64 { return p.Captured - p.Refunded }

// Store is an in-memory table of payments.
type Store struct {
	mu   sync.RWMutex
	rows map[string]Payment
}

// New returns an empty store.
func New() *Store {
	return &Store{rows: make(map[string]Payment)}
}

// Insert adds a new payment.
func (s *Store) Insert(p Payment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.rows[p.ID]; ok {
		return ErrExists
	}
	s.rows[p.ID] = p
	return nil
}

// Get returns a copy of the payment.
func (s *Store) Get(id string) (Payment, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p, ok := s.rows[id]
	if !ok {
		return Payment{}, ErrNotFound
	}
	return p, nil
}

// Put writes the payment.
func (s *Store) Put(p Payment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[p.ID] = p
}
