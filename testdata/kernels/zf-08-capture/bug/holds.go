// Package holds implements two-step card payments: an authorization reserves
// money of an account, a capture books it, a void or the passing of time gives
// it back.
package holds

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrUnknown is returned for an unknown account or hold.
	ErrUnknown = errors.New("holds: unknown id")
	// ErrFunds is returned when an account has not enough money.
	ErrFunds = errors.New("holds: insufficient funds")
	// ErrNotOpen is returned when a hold has been captured, voided or has
	// expired, or is about to be.
	ErrNotOpen = errors.New("holds: hold is not open")
)

// States of a hold. All but open and capturing are final.
const (
	open int32 = iota
	capturing
	captured
	voided
	expired
)

// Hold is money reserved for a merchant.
type Hold struct {
	ID       string
	Merchant string
	Cents    int64
	Deadline time.Time

	account *account
	state   atomic.Int32
}

// account is the money of a card holder.
type account struct {
	mu       sync.Mutex
	balance  int64
	reserved int64
}

// reserve sets money aside if there is enough.
func (a *account) reserve(cents int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance-a.reserved < cents {
		return false
	}
	a.reserved += cents
	return true
}

// release gives reserved money back.
func (a *account) release(cents int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reserved -= cents
}

// spend takes reserved money off the balance.
func (a *account) spend(cents int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reserved -= cents
	a.balance -= cents
}

// Journal is the durable record of bookings.
type Journal interface {
	Book(ctx context.Context, merchant, hold string, cents int64) error
}

// Service serves the payment API; each request has its own goroutine.
type Service struct {
	journal Journal
	ttl     time.Duration

	mu       sync.RWMutex
	accounts map[string]*account
	holds    map[string]*Hold
	lastID   int64
}

// NewService returns a service for accounts with the given balances.
func NewService(j Journal, ttl time.Duration, balances map[string]int64) *Service {
	s := &Service{journal: j, ttl: ttl, accounts: make(map[string]*account), holds: make(map[string]*Hold)}
	for id, cents := range balances {
		s.accounts[id] = &account{balance: cents}
	}
	return s
}

// Authorize reserves money and returns the id of the hold.
func (s *Service) Authorize(accountID, merchant string, cents int64) (string, error) {
	s.mu.RLock()
	acct, ok := s.accounts[accountID]
	s.mu.RUnlock()
	if !ok {
		return "", fmt.Errorf("account %s: %w", accountID, ErrUnknown)
	}
	if !acct.reserve(cents) {
		return "", ErrFunds
	}
	h := &Hold{Merchant: merchant, Cents: cents, Deadline: time.Now().Add(s.ttl), account: acct}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	h.ID = fmt.Sprintf("h%08d", s.lastID)
	s.holds[h.ID] = h
	return h.ID, nil
}

func (s *Service) hold(id string) (*Hold, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	h, ok := s.holds[id]
	if !ok {
		return nil, fmt.Errorf("hold %s: %w", id, ErrUnknown)
	}
	return h, nil
}

// Capture books the money of a hold. When the journal fails the hold stays
// open and the capture can be tried again.
func (s *Service) Capture(ctx context.Context, id string) error {
	h, err := s.hold(id)
	if err != nil {
		return err
	}
	if h.state.Load() != open {
		return ErrNotOpen
	}
	h.state.Store(capturing)
	if err := s.journal.Book(ctx, h.Merchant, h.ID, h.Cents); err != nil {
		h.state.Store(open)
		return err
	}
	h.account.spend(h.Cents)
	h.state.Store(captured)
	return nil
}

// Void gives the money of a hold back.
func (s *Service) Void(id string) error {
	h, err := s.hold(id)
	if err != nil {
		return err
	}
	if !h.state.CompareAndSwap(open, voided) {
		return ErrNotOpen
	}
	h.account.release(h.Cents)
	return nil
}

// sweep expires the holds whose time has passed and forgets the ones that are
// in a final state.
func (s *Service) sweep(now time.Time) {
	s.mu.RLock()
	all := make([]*Hold, 0, len(s.holds))
	for _, h := range s.holds {
		all = append(all, h)
	}
	s.mu.RUnlock()

	var final []string
	for _, h := range all {
		if now.After(h.Deadline) && h.state.CompareAndSwap(open, expired) {
			h.account.release(h.Cents)
		}
		if h.state.Load() > capturing {
			final = append(final, h.ID)
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range final {
		delete(s.holds, id)
	}
}

// Run sweeps until ctx is done.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(s.ttl / 10)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			s.sweep(now)
		}
	}
}
