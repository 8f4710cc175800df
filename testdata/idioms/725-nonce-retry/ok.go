package payout

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Errors of the pool.
var (
	ErrNonceTaken = errors.New("payout: nonce taken")
	ErrBusy       = errors.New("payout: account busy")
)

// Account is the name of an account.
type Account string

// Transfer is a signed transfer.
type Transfer struct {
	From, To Account
	Amount   int64
	Nonce    uint64
	Sig      []byte
}

// Mempool keeps the transfers that wait for a block.
type Mempool struct {
	mu   sync.Mutex
	next map[Account]uint64
	byID map[Account]map[uint64]Transfer
}

// NewMempool returns an empty pool.
func NewMempool() *Mempool {
	return &Mempool{
		next: make(map[Account]uint64),
		byID: make(map[Account]map[uint64]Transfer),
	}
}

// NextNonce returns the first free nonce of an account.
func (m *Mempool) NextNonce(a Account) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.next[a]
}

// Insert adds a transfer whose nonce is the next one.
func (m *Mempool) Insert(t Transfer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch next := m.next[t.From]; {
	case t.Nonce < next:
		return ErrNonceTaken
	case t.Nonce > next:
		return fmt.Errorf("payout: nonce gap: have %d, next %d", t.Nonce, next)
	}
	pending := m.byID[t.From]
	if pending == nil {
		pending = make(map[uint64]Transfer)
		m.byID[t.From] = pending
	}
	pending[t.Nonce] = t
	m.next[t.From] = t.Nonce + 1
	return nil
}

// TakeBlock removes and returns up to limit transfers of an account, by nonce.
func (m *Mempool) TakeBlock(a Account, limit int) []Transfer {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Transfer
	pending := m.byID[a]
	for n := m.next[a] - uint64(len(pending)); n < m.next[a] && len(out) < limit; n++ {
		out = append(out, pending[n])
		delete(pending, n)
	}
	return out
}

// Signer signs transfers.
type Signer interface {
	Sign(ctx context.Context, t Transfer) ([]byte, error)
}

// Service pays out. Its methods are called by many workers.
type Service struct {
	pool     *Mempool
	signer   Signer
	attempts int
}

// NewService returns a service that tries up to attempts nonces.
func NewService(p *Mempool, s Signer, attempts int) *Service {
	return &Service{pool: p, signer: s, attempts: attempts}
}

// Pay sends one transfer and returns its nonce.
func (s *Service) Pay(ctx context.Context, from, to Account, amount int64) (uint64, error) {
	for range s.attempts {
		t := Transfer{From: from, To: to, Amount: amount, Nonce: s.pool.NextNonce(from)}
		sig, err := s.signer.Sign(ctx, t)
		if err != nil {
			return 0, fmt.Errorf("payout: sign: %w", err)
		}
		t.Sig = sig
		err = s.pool.Insert(t)
		if err == nil {
			return t.Nonce, nil
		}
		if !errors.Is(err, ErrNonceTaken) {
			return 0, err
		}
	}
	return 0, ErrBusy
}

// PayAll pays a list of recipients and returns the ones that failed.
func (s *Service) PayAll(ctx context.Context, from Account, amounts map[Account]int64) map[Account]error {
	var mu sync.Mutex
	failed := make(map[Account]error)
	var wg sync.WaitGroup
	for to, amount := range amounts {
		wg.Go(func() {
			if _, err := s.Pay(ctx, from, to, amount); err != nil {
				mu.Lock()
				failed[to] = err
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}
