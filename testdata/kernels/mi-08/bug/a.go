// Package a is the transaction entry of a chain client.
package a

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
)

// Address is an account.
type Address [20]byte

var (
	ErrNonceTooLow  = errors.New("txpool: nonce too low")
	ErrUnderpriced  = errors.New("txpool: replacement underpriced")
	ErrPoolFull     = errors.New("txpool: full")
	ErrNoSuchSigner = errors.New("api: account is locked")
)

// Tx is a signed transaction.
type Tx struct {
	From, To Address
	Nonce    uint64
	Price    uint64
	Value    uint64
	Sig      []byte
}

// Args are what a user sends; a missing nonce is filled in.
type Args struct {
	From, To     Address
	Price, Value uint64
	Nonce        *uint64
}

// Wallet signs, possibly on a hardware device.
type Wallet interface {
	Sign(ctx context.Context, tx *Tx) ([]byte, error)
}

// Pool holds the transactions that wait for a block.
type Pool struct {
	limit int

	mu      sync.RWMutex
	pending map[Address]map[uint64]*Tx
	mined   map[Address]uint64 // next nonce in the state
	count   int
}

// NewPool returns a pool of at most limit transactions.
func NewPool(limit int) *Pool {
	return &Pool{
		limit:   limit,
		pending: make(map[Address]map[uint64]*Tx),
		mined:   make(map[Address]uint64),
	}
}

// Nonce is the next free nonce of an account, pending ones included.
func (p *Pool) Nonce(a Address) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	n := p.mined[a]
	for p.pending[a][n] != nil {
		n++
	}
	return n
}

// Add puts tx into the pool. A pending transaction with the same nonce is
// replaced if the new one pays more: that is how users cancel.
func (p *Pool) Add(tx *Tx) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if tx.Nonce < p.mined[tx.From] {
		return ErrNonceTooLow
	}
	list := p.pending[tx.From]
	if old := list[tx.Nonce]; old != nil {
		if tx.Price <= old.Price {
			return ErrUnderpriced
		}
		list[tx.Nonce] = tx
		return nil
	}
	if p.count >= p.limit {
		return ErrPoolFull
	}
	if list == nil {
		list = make(map[uint64]*Tx)
		p.pending[tx.From] = list
	}
	list[tx.Nonce] = tx
	p.count++
	return nil
}

// Mined is called for each transaction of a new block.
func (p *Pool) Mined(a Address, nonce uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if nonce+1 > p.mined[a] {
		p.mined[a] = nonce + 1
	}
	for n := range p.pending[a] {
		if n <= nonce {
			delete(p.pending[a], n)
			p.count--
		}
	}
}

// API is the JSON-RPC service of the accounts.
type API struct {
	pool *Pool

	mu      sync.RWMutex
	wallets map[Address]Wallet

	sent   atomic.Uint64
	failed atomic.Uint64
}

// NewAPI serves the given pool.
func NewAPI(pool *Pool) *API {
	return &API{pool: pool, wallets: make(map[Address]Wallet)}
}

// Unlock makes an account usable.
func (s *API) Unlock(a Address, w Wallet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wallets[a] = w
}

// SendTransaction signs and submits a transaction.
func (s *API) SendTransaction(ctx context.Context, args Args) (*Tx, error) {
	s.mu.RLock()
	w, ok := s.wallets[args.From]
	s.mu.RUnlock()
	if !ok {
		s.failed.Add(1)
		return nil, ErrNoSuchSigner
	}

	tx := &Tx{From: args.From, To: args.To, Price: args.Price, Value: args.Value}
	if args.Nonce != nil {
		tx.Nonce = *args.Nonce
	} else {
		tx.Nonce = s.pool.Nonce(args.From)
	}
	sig, err := w.Sign(ctx, tx)
	if err != nil {
		s.failed.Add(1)
		return nil, fmt.Errorf("api: sign: %w", err)
	}
	tx.Sig = sig
	if err := s.pool.Add(tx); err != nil {
		s.failed.Add(1)
		return nil, err
	}
	s.sent.Add(1)
	log.Printf("api: submitted nonce %d of %x", tx.Nonce, tx.From[:4])
	return tx, nil
}

// Stats returns the counters.
func (s *API) Stats() (sent, failed uint64) { return s.sent.Load(), s.failed.Load() }
