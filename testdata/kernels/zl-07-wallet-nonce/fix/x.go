// Package fix sends transactions of local accounts through the pending pool.
package fix

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrNonceTooLow = errors.New("txpool: nonce too low")
	ErrUnderpriced = errors.New("txpool: replacement underpriced")
	ErrNoAccount   = errors.New("wallet: no such account")
)

// Address names an account of the chain.
type Address [20]byte

// Tx is a signed transfer.
type Tx struct {
	From, To Address
	Nonce    uint64
	Amount   uint64
	Fee      uint64
	Sig      []byte
}

// Signer signs; it may ask a device or a remote service.
type Signer interface {
	Sign(ctx context.Context, tx *Tx) ([]byte, error)
}

// pool holds transactions that are not in a block yet, by sender and nonce.
type pool struct {
	mu      sync.RWMutex
	mined   map[Address]uint64 // next nonce on the chain
	pending map[Address]map[uint64]*Tx
}

func (p *pool) nextNonce(a Address) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	n := p.mined[a]
	for p.pending[a][n] != nil {
		n++
	}
	return n
}

// add takes tx in; one with the same nonce is replaced if tx pays more.
func (p *pool) add(tx *Tx) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if tx.Nonce < p.mined[tx.From] {
		return ErrNonceTooLow
	}
	txs := p.pending[tx.From]
	if txs == nil {
		txs = make(map[uint64]*Tx)
		p.pending[tx.From] = txs
	}
	if old := txs[tx.Nonce]; old != nil && old.Fee >= tx.Fee {
		return ErrUnderpriced
	}
	txs[tx.Nonce] = tx
	return nil
}

func (p *pool) included(txs []*Tx) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, tx := range txs {
		p.mined[tx.From] = max(p.mined[tx.From], tx.Nonce+1)
		delete(p.pending[tx.From], tx.Nonce)
	}
}

type account struct {
	addr   Address
	signer Signer

	sending sync.Mutex // from the choice of a nonce until it is pooled
}

// Wallet serves the accounts of this node.
type Wallet struct {
	accounts sync.Map // Address to *account
	pool     pool
}

func NewWallet() *Wallet {
	return &Wallet{pool: pool{
		mined:   make(map[Address]uint64),
		pending: make(map[Address]map[uint64]*Tx),
	}}
}

// Unlock makes an account usable; the first signer of an address stays.
func (w *Wallet) Unlock(a Address, s Signer) {
	w.accounts.LoadOrStore(a, &account{addr: a, signer: s})
}

func (a *account) seal(ctx context.Context, tx *Tx) error {
	tx.From = a.addr
	sig, err := a.signer.Sign(ctx, tx)
	if err != nil {
		return err
	}
	tx.Sig = sig
	return nil
}

// Send transfers amount and returns the pooled transaction.
func (w *Wallet) Send(ctx context.Context, from, to Address, amount, fee uint64) (*Tx, error) {
	v, ok := w.accounts.Load(from)
	if !ok {
		return nil, ErrNoAccount
	}
	acct := v.(*account)
	acct.sending.Lock()
	defer acct.sending.Unlock()
	tx := &Tx{To: to, Amount: amount, Fee: fee, Nonce: w.pool.nextNonce(from)}
	if err := acct.seal(ctx, tx); err != nil {
		return nil, err
	}
	if err := w.pool.add(tx); err != nil {
		return nil, err
	}
	return tx, nil
}

// Resend raises the fee of a pending transaction.
func (w *Wallet) Resend(ctx context.Context, old *Tx, fee uint64) (*Tx, error) {
	v, ok := w.accounts.Load(old.From)
	if !ok {
		return nil, ErrNoAccount
	}
	tx := &Tx{To: old.To, Amount: old.Amount, Fee: fee, Nonce: old.Nonce}
	if err := v.(*account).seal(ctx, tx); err != nil {
		return nil, err
	}
	return tx, w.pool.add(tx)
}

// BlockImported is told the transactions of each new block.
func (w *Wallet) BlockImported(txs []*Tx) { w.pool.included(txs) }
