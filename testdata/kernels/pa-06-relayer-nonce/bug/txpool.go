package relayer

import (
	"errors"
	"sync"
)

// Errors of the pool.
var (
	ErrNonceTooLow = errors.New("relayer: nonce too low")
	ErrUnderpriced = errors.New("relayer: replacement transaction underpriced")
)

// Address is an account.
type Address [20]byte

// Tx is a transaction, signed when Sig is set.
type Tx struct {
	From     Address
	To       Address
	Nonce    uint64
	GasPrice uint64
	Value    uint64
	Sig      []byte
}

type account struct {
	mined   uint64
	pending map[uint64]*Tx
}

// TxPool keeps the pending transactions by account and nonce.
type TxPool struct {
	mu       sync.RWMutex
	accounts map[Address]*account
}

// NewTxPool returns an empty pool.
func NewTxPool() *TxPool { return &TxPool{accounts: make(map[Address]*account)} }

// PendingNonce returns the first nonce that has no transaction.
func (p *TxPool) PendingNonce(addr Address) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	acc, ok := p.accounts[addr]
	if !ok {
		return 0
	}
	n := acc.mined
	for acc.pending[n] != nil {
		n++
	}
	return n
}

// Add takes a signed transaction. One with the nonce of a pending transaction
// replaces it, unless it pays less.
func (p *TxPool) Add(tx *Tx) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	acc, ok := p.accounts[tx.From]
	if !ok {
		acc = &account{pending: make(map[uint64]*Tx)}
		p.accounts[tx.From] = acc
	}
	if tx.Nonce < acc.mined {
		return ErrNonceTooLow
	}
	if old := acc.pending[tx.Nonce]; old != nil && tx.GasPrice < old.GasPrice {
		return ErrUnderpriced
	}
	acc.pending[tx.Nonce] = tx
	return nil
}

// Pending returns the transaction of addr with the nonce.
func (p *TxPool) Pending(addr Address, nonce uint64) (Tx, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if acc, ok := p.accounts[addr]; ok {
		if tx := acc.pending[nonce]; tx != nil {
			return *tx, true
		}
	}
	return Tx{}, false
}

// Mined drops what a new block has included.
func (p *TxPool) Mined(addr Address, next uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	acc, ok := p.accounts[addr]
	if !ok || next <= acc.mined {
		return
	}
	for n := acc.mined; n < next; n++ {
		delete(acc.pending, n)
	}
	acc.mined = next
}
