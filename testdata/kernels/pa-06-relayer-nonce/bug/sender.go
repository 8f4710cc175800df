package relayer

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Backend is what a Sender needs from the node.
type Backend interface {
	PendingNonce(addr Address) uint64
	Pending(addr Address, nonce uint64) (Tx, bool)
	Add(tx *Tx) error
}

// Signer signs with the key of the sender, possibly on a remote device.
type Signer interface {
	Sign(ctx context.Context, tx Tx) ([]byte, error)
	Hash(tx Tx) string
}

// addrLocker gives out one mutex per address.
type addrLocker struct {
	mu    sync.Mutex
	locks map[Address]*sync.Mutex
}

func (l *addrLocker) lock(addr Address) func() {
	l.mu.Lock()
	if l.locks == nil {
		l.locks = make(map[Address]*sync.Mutex)
	}
	m, ok := l.locks[addr]
	if !ok {
		m = new(sync.Mutex)
		l.locks[addr] = m
	}
	l.mu.Unlock()
	m.Lock()
	return m.Unlock
}

// Sender serves the transaction calls of the RPC API, one goroutine each.
type Sender struct {
	b        Backend
	signer   Signer
	gasPrice func() uint64
	nonces   addrLocker
}

// NewSender returns a sender on b.
func NewSender(b Backend, s Signer, gasPrice func() uint64) *Sender {
	return &Sender{b: b, signer: s, gasPrice: gasPrice}
}

// Args are the arguments of a call. Nil fields get defaults.
type Args struct {
	From     Address
	To       Address
	Value    uint64
	Nonce    *uint64
	GasPrice *uint64
}

func (s *Sender) setDefaults(a *Args) {
	if a.GasPrice == nil {
		p := s.gasPrice()
		a.GasPrice = &p
	}
	if a.Nonce == nil {
		n := s.nextNonce(a.From)
		a.Nonce = &n
	}
}

func (s *Sender) nextNonce(from Address) uint64 { return s.b.PendingNonce(from) }

// SendTransaction signs and submits a transaction and returns its hash.
func (s *Sender) SendTransaction(ctx context.Context, a Args) (string, error) {
	s.setDefaults(&a)
	tx := Tx{From: a.From, To: a.To, Nonce: *a.Nonce, GasPrice: *a.GasPrice, Value: a.Value}
	return s.submit(ctx, tx)
}

// Resend replaces a pending transaction with one that pays gasPrice.
func (s *Sender) Resend(ctx context.Context, from Address, nonce, gasPrice uint64) (string, error) {
	defer s.nonces.lock(from)()
	tx, ok := s.b.Pending(from, nonce)
	if !ok {
		return "", errors.New("relayer: no such transaction")
	}
	tx.GasPrice = gasPrice
	return s.submit(ctx, tx)
}

func (s *Sender) submit(ctx context.Context, tx Tx) (string, error) {
	sig, err := s.signer.Sign(ctx, tx)
	if err != nil {
		return "", fmt.Errorf("relayer: sign: %w", err)
	}
	tx.Sig = sig
	if err := s.b.Add(&tx); err != nil {
		return "", err
	}
	return s.signer.Hash(tx), nil
}
