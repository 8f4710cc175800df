// Package wallet pays out the balances of customers through a bank.
package wallet

import (
	"context"
	"errors"
	"sync"
)

// Errors returned by a Service.
var (
	ErrNoAccount = errors.New("wallet: no such account")
	ErrFunds     = errors.New("wallet: insufficient funds")
	ErrAmount    = errors.New("wallet: amount must be positive")
	ErrInUse     = errors.New("wallet: account has a balance or a payout under way")
	ErrClosed    = errors.New("wallet: account is closed")
)

// Bank makes transfers. It returns an error only for transfers that were not
// made; it takes care of repeating and reconciling the others itself.
type Bank interface {
	Transfer(ctx context.Context, iban string, cents int64) (ref string, err error)
}

type account struct {
	iban string

	mu      sync.Mutex
	balance int64
	held    int64 // part of the balance that payouts under way will take
	closed  bool
}

// Service is safe for concurrent use.
type Service struct {
	bank Bank

	mu       sync.RWMutex
	accounts map[string]*account // entries are never removed
}

// New returns a service without accounts.
func New(bank Bank) *Service {
	return &Service{bank: bank, accounts: make(map[string]*account)}
}

// Open adds an account; it reports false if there is one of that id.
func (s *Service) Open(id, iban string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts[id] != nil {
		return false
	}
	s.accounts[id] = &account{iban: iban}
	return true
}

func (s *Service) account(id string) (*account, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if a := s.accounts[id]; a != nil {
		return a, nil
	}
	return nil, ErrNoAccount
}

// Credit adds to a balance.
func (s *Service) Credit(id string, cents int64) error {
	if cents <= 0 {
		return ErrAmount
	}
	a, err := s.account(id)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return ErrClosed
	}
	a.balance += cents
	return nil
}

// Payout transfers a part of the balance to the customer's bank account.
func (s *Service) Payout(ctx context.Context, id string, cents int64) (string, error) {
	if cents <= 0 {
		return "", ErrAmount
	}
	a, err := s.account(id)
	if err != nil {
		return "", err
	}
	if err := a.hold(cents); err != nil {
		return "", err
	}
	ref, err := s.bank.Transfer(ctx, a.iban, cents)
	a.settle(cents, err == nil)
	return ref, err
}

func (a *account) hold(cents int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return ErrClosed
	}
	if a.balance-a.held < cents {
		return ErrFunds
	}
	a.held += cents
	return nil
}

// settle ends a hold.
func (a *account) settle(cents int64, made bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held -= cents
	if made {
		a.balance -= cents
	}
}

// Available returns what can be paid out now.
func (s *Service) Available(id string) (int64, error) {
	a, err := s.account(id)
	if err != nil {
		return 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance - a.held, nil
}

// Close closes an empty account.
func (s *Service) Close(id string) error {
	a, err := s.account(id)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance != 0 || a.held != 0 {
		return ErrInUse
	}
	a.closed = true
	return nil
}
