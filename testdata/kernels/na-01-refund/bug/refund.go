// Package refund issues partial and full refunds against captured charges.
package refund

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

var (
	ErrUnknownCharge = errors.New("refund: unknown charge")
	ErrExceeds       = errors.New("refund: amount exceeds refundable balance")
	ErrInvalid       = errors.New("refund: invalid request")
)

// Gateway is the acquirer side of a refund.
type Gateway interface {
	Refund(ctx context.Context, chargeID string, amount int64) (reference string, err error)
}

// Request asks for money of one charge to be sent back.
type Request struct {
	ChargeID string
	Amount   int64
	Reason   string
}

func (r Request) validate() error {
	if r.ChargeID == "" || r.Amount <= 0 {
		return fmt.Errorf("%w: charge %q amount %d", ErrInvalid, r.ChargeID, r.Amount)
	}
	return nil
}

// Refund is a completed refund.
type Refund struct {
	Reference string
	Amount    int64
	Reason    string
	At        time.Time
}

type charge struct {
	captured int64
	refunded int64
	refunds  []Refund
}

// Service keeps the captured charges of one merchant.
type Service struct {
	gw  Gateway
	log *slog.Logger

	mu      sync.Mutex
	charges map[string]*charge
}

// New returns a service that refunds through gw.
func New(gw Gateway, log *slog.Logger) *Service {
	if log == nil {
		log = slog.Default()
	}
	return &Service{gw: gw, log: log, charges: make(map[string]*charge)}
}

// Capture registers a captured charge.
func (s *Service) Capture(id string, amount int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.charges[id]; ok {
		c.captured += amount
		return
	}
	s.charges[id] = &charge{captured: amount}
}

// Refund sends req.Amount back to the card holder.
func (s *Service) Refund(ctx context.Context, req Request) (*Refund, error) {
	if err := req.validate(); err != nil {
		return nil, err
	}
	left, err := s.refundable(req.ChargeID)
	if err != nil {
		return nil, err
	}
	if req.Amount > left {
		return nil, fmt.Errorf("%w: %d left on %s", ErrExceeds, left, req.ChargeID)
	}
	ref, err := s.gw.Refund(ctx, req.ChargeID, req.Amount)
	if err != nil {
		s.log.Warn("gateway declined refund", "charge", req.ChargeID, "err", err)
		return nil, fmt.Errorf("refund %s: %w", req.ChargeID, err)
	}
	r := Refund{Reference: ref, Amount: req.Amount, Reason: req.Reason, At: time.Now()}
	s.record(req.ChargeID, r)
	return &r, nil
}

// refundable returns how much of a charge may still be sent back.
func (s *Service) refundable(id string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.charges[id]
	if !ok {
		return 0, ErrUnknownCharge
	}
	return c.captured - c.refunded, nil
}

// record appends a completed refund to its charge.
func (s *Service) record(id string, r Refund) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.charges[id]
	c.refunded += r.Amount
	c.refunds = append(c.refunds, r)
}

// History lists the refunds of a charge, oldest first.
func (s *Service) History(id string) []Refund {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.charges[id]
	if !ok {
		return nil
	}
	return append([]Refund(nil), c.refunds...)
}
