// Package refunds pays money back for orders that were charged earlier.
package refunds

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors returned by Service.
var (
	ErrUnknownOrder = errors.New("refunds: unknown order")
	ErrTooMuch      = errors.New("refunds: amount exceeds what is left of the order")
	ErrBadAmount    = errors.New("refunds: amount must be positive")
)

// Gateway is the payment provider.
type Gateway interface {
	Refund(ctx context.Context, chargeID string, cents int64) (ref string, err error)
}

// Entry is one refund that went through.
type Entry struct {
	Ref   string
	Cents int64
	At    time.Time
}

type order struct {
	chargeID string
	total    int64
	refunded int64
	pending  int64 // set aside, not yet decided
	entries  []Entry
}

// Service tracks how much of each order was refunded.
type Service struct {
	gw  Gateway
	now func() time.Time

	mu     sync.Mutex
	orders map[string]*order
}

// New returns a Service which pays through gw.
func New(gw Gateway) *Service {
	return &Service{gw: gw, now: time.Now, orders: make(map[string]*order)}
}

// Charged records that an order was paid.
func (s *Service) Charged(id, chargeID string, cents int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.orders[id]; ok {
		return // webhook delivered twice
	}
	s.orders[id] = &order{chargeID: chargeID, total: cents}
}

// Refund pays cents of the order back to the customer and returns the
// provider's reference. The provider accepts any amount for a settled charge,
// it is up to us not to exceed the total.
func (s *Service) Refund(ctx context.Context, id string, cents int64) (string, error) {
	if cents <= 0 {
		return "", ErrBadAmount
	}

	s.mu.Lock()
	o, ok := s.orders[id]
	if !ok {
		s.mu.Unlock()
		return "", ErrUnknownOrder
	}
	if cents > o.total-o.refunded-o.pending {
		s.mu.Unlock()
		return "", ErrTooMuch
	}
	charge := o.chargeID
	o.pending += cents
	s.mu.Unlock()

	// The provider can take several seconds.
	ref, err := s.gw.Refund(ctx, charge, cents)

	s.mu.Lock()
	defer s.mu.Unlock()
	o.pending -= cents
	if err != nil {
		return "", fmt.Errorf("refunds: order %s: %w", id, err)
	}
	o.refunded += cents
	o.entries = append(o.entries, Entry{Ref: ref, Cents: cents, At: s.now()})
	return ref, nil
}

// Dispute sets money aside for a chargeback the bank has opened.
func (s *Service) Dispute(id string, cents int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.orders[id]
	if !ok {
		return ErrUnknownOrder
	}
	if cents > o.total-o.refunded-o.pending {
		return ErrTooMuch
	}
	o.pending += cents
	return nil
}

// History lists the refunds of an order.
func (s *Service) History(id string) []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.orders[id]
	if !ok {
		return nil
	}
	return append([]Entry(nil), o.entries...)
}
