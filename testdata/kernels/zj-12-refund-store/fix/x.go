// Package refund gives captured payments back, in whole or in part.
package refund

import (
	"context"
	"errors"
	"fmt"

	"github.com/atomvet/atomvet/testdata/kernels/zj-12-refund-store/fix/store"
)

var (
	ErrAmount   = errors.New("refund: amount not refundable")
	ErrDisputed = errors.New("refund: payment is disputed")
)

// PSP is the payment service provider.
type PSP interface {
	Refund(ctx context.Context, payment string, amount int64) error
}

// Service is used by the merchant API and by the webhook receiver.
type Service struct {
	store *store.Store
	psp   PSP
}

// New returns a Service on top of the store.
func New(s *store.Store, psp PSP) *Service {
	return &Service{store: s, psp: psp}
}

// Captured records a new payment.
func (s *Service) Captured(id string, amount int64) error {
	return s.store.Insert(store.Payment{ID: id, Captured: amount})
}

func checkRefund(p *store.Payment, amount int64) error {
	if p.Disputed {
		return ErrDisputed
	}
	if amount <= 0 || amount > p.Refundable() {
		return ErrAmount
	}
	return nil
}

// Refund gives amount back to the customer.
func (s *Service) Refund(ctx context.Context, id string, amount int64) error {
	err := s.store.Update(id, func(p *store.Payment) error {
		if err := checkRefund(p, amount); err != nil {
			return err
		}
		p.Refunded += amount
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.psp.Refund(ctx, id, amount); err != nil {
		undo := s.store.Update(id, func(p *store.Payment) error {
			p.Refunded -= amount
			return nil
		})
		return errors.Join(fmt.Errorf("refund: %s: %w", id, err), undo)
	}
	return nil
}

// Disputed is called by the webhook when the bank opens or closes a dispute.
func (s *Service) Disputed(id string, open bool) error {
	return s.store.Update(id, func(p *store.Payment) error {
		p.Disputed = open
		return nil
	})
}

// Balance returns what the merchant keeps of the payment.
func (s *Service) Balance(id string) (int64, error) {
	p, err := s.store.Get(id)
	if err != nil {
		return 0, err
	}
	return p.Refundable(), nil
}
