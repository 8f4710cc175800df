// Package refunds issues partial and full refunds for captured payments.
package refunds

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"
)

var (
	ErrUnknownPayment = errors.New("refunds: unknown payment")
	ErrExceeds        = errors.New("refunds: amount exceeds refundable balance")
)

// Gateway is the acquirer's API. Refund moves real money.
type Gateway interface {
	Refund(ctx context.Context, paymentID string, amount int64) (ref string, err error)
}

// Entry is one executed refund.
type Entry struct {
	Ref    string
	Amount int64
	At     time.Time
}

// Payment is a captured payment; amounts are in minor units.
type Payment struct {
	ID string

	mu       sync.Mutex
	captured int64
	refunded int64
	entries  []Entry
}

// Refundable returns what is still available for refunds.
func (p *Payment) Refundable() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.captured - p.refunded
}

// book enters a refund executed by the gateway.
func (p *Payment) book(ref string, amount int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refunded += amount
	p.entries = append(p.entries, Entry{Ref: ref, Amount: amount, At: time.Now()})
}

// Service is shared by all request handlers.
type Service struct {
	gw Gateway

	mu       sync.RWMutex
	payments map[string]*Payment
}

func NewService(gw Gateway) *Service {
	return &Service{gw: gw, payments: make(map[string]*Payment)}
}

// Capture makes a payment known to the service. IDs are unique.
func (s *Service) Capture(id string, amount int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.payments[id] = &Payment{ID: id, captured: amount}
}

func (s *Service) payment(id string) (*Payment, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p, ok := s.payments[id]
	if !ok {
		return nil, ErrUnknownPayment
	}
	return p, nil
}

// Refund pays amount back to the customer.
func (s *Service) Refund(ctx context.Context, id string, amount int64) (string, error) {
	p, err := s.payment(id)
	if err != nil {
		return "", err
	}
	if amount <= 0 || amount > p.Refundable() {
		return "", ErrExceeds
	}
	ref, err := s.gw.Refund(ctx, p.ID, amount)
	if err != nil {
		return "", err
	}
	p.book(ref, amount)
	return ref, nil
}

// ServeHTTP handles POST /refunds.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Payment string `json:"payment"`
		Amount  int64  `json:"amount"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ref, err := s.Refund(r.Context(), req.Payment, req.Amount)
	switch {
	case errors.Is(err, ErrUnknownPayment):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.Is(err, ErrExceeds):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		_ = json.NewEncoder(w).Encode(map[string]string{"ref": ref})
	}
}
