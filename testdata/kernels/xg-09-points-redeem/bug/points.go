// Package points credits customers for their purchases and lets them redeem
// the points for vouchers of partner shops.
package points

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/atomvet/atomvet/testdata/kernels/xg-09-points-redeem/bug/ledger"
)

// ErrInsufficient is returned by Redeem.
var ErrInsufficient = errors.New("points: not enough points")

// Accounts is the part of the ledger that the service needs.
type Accounts interface {
	Get(id string) (ledger.Account, error)
	Put(a ledger.Account) error
	Update(id string, fn func(*ledger.Account) error) error
}

// Partner issues vouchers. A call takes up to a few seconds.
type Partner interface {
	Issue(ctx context.Context, customer, reward string) (voucher string, err error)
}

// Purchase is an event from the shop's order stream.
type Purchase struct {
	Customer string
	Cents    int64
}

// Service is safe for concurrent use.
type Service struct {
	accounts Accounts
	partner  Partner
	prices   map[string]int64 // points by reward; read only
}

// NewService starts a service that credits the purchases it receives.
func NewService(a Accounts, p Partner, prices map[string]int64, orders <-chan Purchase) *Service {
	s := &Service{accounts: a, partner: p, prices: prices}
	go func() {
		for o := range orders {
			if err := s.earn(o); err != nil {
				slog.Error("points not credited", "customer", o.Customer, "err", err)
			}
		}
	}()
	return s
}

// earn credits one point per full unit of currency.
func (s *Service) earn(o Purchase) error {
	n := o.Cents / 100
	if n <= 0 {
		return nil
	}
	return s.accounts.Update(o.Customer, func(a *ledger.Account) error {
		a.Points += n
		a.Lifetime += n
		return nil
	})
}

// Redeem buys a voucher with the customer's points.
func (s *Service) Redeem(ctx context.Context, customer, reward string) (string, error) {
	price, ok := s.prices[reward]
	if !ok {
		return "", fmt.Errorf("points: no reward %q", reward)
	}
	acc, err := s.accounts.Get(customer)
	if err != nil {
		return "", err
	}
	if acc.Points < price {
		return "", ErrInsufficient
	}
	voucher, err := s.partner.Issue(ctx, customer, reward)
	if err != nil {
		return "", fmt.Errorf("points: issue voucher: %w", err)
	}
	acc.Points -= price
	if err := s.accounts.Put(acc); err != nil {
		return "", err
	}
	return voucher, nil
}

// Balance returns the points a customer can spend.
func (s *Service) Balance(customer string) (int64, error) {
	acc, err := s.accounts.Get(customer)
	return acc.Points, err
}
