// Package refund keeps captured payments and refunds them.
package refund

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
)

var (
	ErrNotFound = errors.New("refund: no such payment")
	ErrTooMuch  = errors.New("refund: amount exceeds what is left of the payment")
	ErrAmount   = errors.New("refund: amount must be positive")
)

// Gateway moves money at the payment provider.
type Gateway interface {
	Refund(ctx context.Context, charge string, amount int64) (reference string, err error)
}

// Entry is a completed refund.
type Entry struct {
	Amount    int64  `json:"amount"`
	Reference string `json:"reference"`
}

type payment struct {
	charge   string
	captured int64
	refunded int64
	entries  []Entry
}

// Service is the refund service.
type Service struct {
	gw Gateway

	mu       sync.Mutex
	payments map[string]*payment
}

// NewService returns a service without payments.
func NewService(gw Gateway) *Service {
	return &Service{gw: gw, payments: make(map[string]*payment)}
}

// Record notes a captured payment.
func (s *Service) Record(id, charge string, amount int64) error {
	if amount <= 0 {
		return ErrAmount
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.payments[id]; ok {
		return fmt.Errorf("refund: payment %s exists", id)
	}
	s.payments[id] = &payment{charge: charge, captured: amount}
	return nil
}

// Refund pays amount back to the customer.
func (s *Service) Refund(ctx context.Context, id string, amount int64) (Entry, error) {
	if amount <= 0 {
		return Entry{}, ErrAmount
	}
	s.mu.Lock()
	p, ok := s.payments[id]
	if !ok {
		s.mu.Unlock()
		return Entry{}, ErrNotFound
	}
	if amount > p.captured-p.refunded {
		s.mu.Unlock()
		return Entry{}, ErrTooMuch
	}
	s.mu.Unlock()

	ref, err := s.gw.Refund(ctx, p.charge, amount)

	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		return Entry{}, fmt.Errorf("refund: payment %s: %w", id, err)
	}
	e := Entry{Amount: amount, Reference: ref}
	p.refunded += amount
	p.entries = append(p.entries, e)
	return e, nil
}

// Entries lists the refunds of a payment.
func (s *Service) Entries(id string) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.payments[id]
	if !ok {
		return nil, ErrNotFound
	}
	return append([]Entry(nil), p.entries...), nil
}

// ServeHTTP handles POST /payments/{id}/refunds.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Amount int64 `json:"amount"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e, err := s.Refund(r.Context(), r.PathValue("id"), body.Amount)
	switch {
	case errors.Is(err, ErrNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.Is(err, ErrTooMuch), errors.Is(err, ErrAmount):
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(e)
	}
}
